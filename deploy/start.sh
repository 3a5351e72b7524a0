#!/bin/sh
# Started by nginx's own entry point, before nginx: the API beside it, as nginx's user. When the API ends, so does the
# container, and whoever runs it starts a new one.
set -eu
: "${CAPTCHA_SECRET:?set it with --env CAPTCHA_SECRET=…}"
# Proxies before this container, such as one that ends TLS.
real-ip "${TRUSTED_PROXIES:-}" >/etc/nginx/real-ip.conf
# For the API, nginx is one of them.
export TRUSTED_PROXIES="127.0.0.1,${TRUSTED_PROXIES:-}"
(
  setpriv --reuid=nginx --regid=nginx --clear-groups /usr/local/bin/site-api || true
  kill -TERM 1
) &
