#!/bin/sh
# Writes nginx's directives for the proxies in front of it, from networks such as `10.0.0.0/8,2001:db8::/32`: nginx and the
# API then believe the same proxies about the address of a visitor.
#   deploy/real-ip.sh "$TRUSTED_PROXIES" > real-ip.conf
set -euf
networks=$(printf %s "${1:-}" | tr ',' ' ')
for network in $networks; do
  case $network in
    *[!0-9a-fA-F.:/]*)
      printf 'error: TRUSTED_PROXIES: `%s` is neither an IP address nor a network such as `10.0.0.0/8`\n' "$network" >&2
      exit 1
      ;;
  esac
done
for network in $networks; do
  echo "set_real_ip_from $network;"
done
if [ -n "$networks" ]; then
  echo 'real_ip_header X-Forwarded-For;'
  echo 'real_ip_recursive on;'
fi
