"""Emulates DynamoDB and S3 for the tests of leads: moto's server, with what it leaves out of the contracts of both.

- moto's transactions are not isolated: a canceled one restores a copy of the table, and with it removes what others wrote in
  the meantime. The lock answers one request at a time, as if DynamoDB had ordered them.
- moto takes every form that is sent to a bucket. Here its policy is checked as S3 does it: signature, time, fields, size.
- moto copies an object whatever its entity tag.
- A test can ask for trouble: `POST /trouble` with a list of `{method, path, status, seconds, count}`.
"""

import base64
import hashlib
import hmac
import io
import json
import threading
import time
from datetime import datetime, timezone

import moto.server as server
from moto.s3.models import s3_backends
from werkzeug.formparser import parse_form_data

SECRET = b"test"
lock = threading.Lock()
answer = server.DomainDispatcherApplication.__call__
trouble = []


def refuse(start_response, status, code):
    start_response(f"{status} {code}", [("content-type", "application/xml"), ("access-control-allow-origin", "*")])
    return [f"<Error><Code>{code}</Code></Error>".encode()]


def trouble_of(environ):
    """The trouble that a request is to have, if there is some left."""
    for wanted in trouble:
        is_it = environ["REQUEST_METHOD"] == wanted["method"] and wanted["path"] in environ["PATH_INFO"]
        if is_it and wanted["count"] > 0:
            wanted["count"] -= 1
            return wanted
    return None


def is_signed(fields):
    """Whether the policy of a form has the signature of its credential."""
    _, day, region, service, end = fields["x-amz-credential"].split("/")
    key = b"AWS4" + SECRET
    for part in (day, region, service, end):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, fields["policy"].encode(), hashlib.sha256).hexdigest()
    return hmac.compare_digest(signature, fields["x-amz-signature"])


def fault_of_form(bucket, fields, size):
    """Status and code with which S3 refuses a form. https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html"""
    if "policy" not in fields or not is_signed(fields):
        return 403, "SignatureDoesNotMatch"
    policy = json.loads(base64.b64decode(fields["policy"]))
    if datetime.fromisoformat(policy["expiration"].replace("Z", "+00:00")) < datetime.now(timezone.utc):
        return 403, "AccessDenied"
    given = {**fields, "bucket": bucket}
    named = {"policy", "x-amz-signature"}
    for condition in policy["conditions"]:
        if isinstance(condition, dict):
            ((name, value),) = condition.items()
            named.add(name.lower())
            if given.get(name.lower()) != value:
                return 403, "AccessDenied"
        elif condition[0] == "content-length-range":
            if size > condition[2]:
                return 400, "EntityTooLarge"
            if size < condition[1]:
                return 400, "EntityTooSmall"
    return None if set(fields) <= named else (403, "AccessDenied")


def checked(self, environ, start_response):
    path = environ["PATH_INFO"].strip("/").split("/")
    kind = environ.get("CONTENT_TYPE", "")
    if environ["REQUEST_METHOD"] == "POST" and kind.startswith("multipart/form-data"):
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        _, form, files = parse_form_data({**environ, "wsgi.input": io.BytesIO(body)})
        fault = fault_of_form(path[0], {name.lower(): value for name, value in form.items()}, len(files["file"].read()))
        if fault is not None:
            return refuse(start_response, *fault)
        environ["wsgi.input"] = io.BytesIO(body)
    if "HTTP_X_AMZ_COPY_SOURCE_IF_MATCH" in environ:
        bucket, key = environ["HTTP_X_AMZ_COPY_SOURCE"].strip("/").split("/", 1)
        found = s3_backends["123456789012"]["aws"].get_object(bucket, key)
        if found is not None and found.etag != environ["HTTP_X_AMZ_COPY_SOURCE_IF_MATCH"]:
            return refuse(start_response, 412, "PreconditionFailed")
    return answer(self, environ, start_response)


def answer_alone(self, environ, start_response):
    if environ["PATH_INFO"] == "/trouble":
        trouble[:] = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        start_response("204 No Content", [])
        return []
    found = trouble_of(environ)
    if found is not None:
        time.sleep(found.get("seconds", 0))
        return refuse(start_response, found["status"], "InternalError")
    with lock:
        return checked(self, environ, start_response)


server.DomainDispatcherApplication.__call__ = answer_alone
server.main(["-H", "127.0.0.1", "-p", "0"])
