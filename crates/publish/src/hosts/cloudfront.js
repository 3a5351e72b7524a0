// A CloudFront Function for viewer requests, runtime cloudfront-js-2.0: redirects (also of `/?p=123`), `?page=N`, and
// both slash forms of every page, in front of a bucket of files. The tables above are generated from the site.

function handler(event) {
  var request = event.request;
  var path = request.uri;
  var host = request.headers.host ? request.headers.host.value.toLowerCase().split(":")[0] : "";
  var elsewhere = Object.keys(HOSTS).indexOf(host) >= 0 ? answerOfHosts(host, path) : null;
  if (elsewhere) {
    return moved(elsewhere.to, elsewhere.status === 302 ? "" : queryOf(request.querystring), elsewhere.status);
  }
  var withSlash = path.replace(/\/+$/, "") + "/";
  var known = decoded(withSlash);
  var found = targetOf(QUERIES[known], request.querystring);
  if (found.to) {
    return moved(found.to, "", statusOf(known + found.query));
  }
  if (REDIRECTS[known]) {
    return moved(REDIRECTS[known], queryOf(request.querystring), statusOf(known));
  }
  if (GONE[known] === 1) {
    return { statusCode: 410, statusDescription: "Gone" };
  }
  var folder = folderOf(known);
  if (folder) {
    return moved(FOLDERS[folder], queryOf(request.querystring), statusOf(folder));
  }
  var page = request.querystring.page;
  var numbers = NUMBERED[known];
  if (page && numbers && numbers.indexOf(page.value) >= 0) {
    request.uri = withSlash + "page/" + page.value + "/index.html";
  } else if (path.charAt(path.length - 1) === "/") {
    request.uri = path + "index.html";
  } else if (isPage(path)) {
    request.uri = path + "/index.html";
  }
  return request;
}

// Every host has every file. The root of a language's host leads to its home page, and a page to the host of its language.
// HOSTS has the path of the home page and the origin of each.
function answerOfHosts(host, path) {
  var root = "";
  var right = "";
  for (var name in HOSTS) {
    var home = HOSTS[name][0];
    if (!root || home.length < root.length) {
      root = home;
    }
    if (path.slice(0, home.length) === home && (!right || home.length > HOSTS[right][0].length)) {
      right = name;
    }
  }
  if (path === root) {
    return HOSTS[host][0] === root ? null : { status: 302, to: HOSTS[host][0] };
  }
  var isPage = path.charAt(path.length - 1) === "/" || (right && HOSTS[right][0] !== root);
  return right && right !== host && isPage ? { status: 301, to: HOSTS[right][1] + path } : null;
}

// The tables hold addresses as they are written, and requests hold them encoded.
function decoded(path) {
  try {
    // What separates parts of an address stays encoded, and the rest of what `decodeURI` leaves is decoded.
    return decodeURI(path).replace(/%(24|26|2B|2C|3A|3B|3D|40)/gi, decodeURIComponent);
  } catch (error) {
    return path;
  }
}

// The longest folder of the table that holds a path.
function folderOf(path) {
  var longest = "";
  for (var folder in FOLDERS) {
    if (folder.length > longest.length && path.slice(0, folder.length) === folder) {
      longest = folder;
    }
  }
  return longest;
}

// A redirect to what is not public yet leads elsewhere soon, so browsers must not remember it.
function statusOf(from) {
  return TEMPORARY[from] === 1 ? 302 : 301;
}

// The target of the first parameter by name that is redirected at a path, and that parameter.
function targetOf(names, querystring) {
  for (var name in names) {
    var given = querystring[name];
    var value = given ? given.value : "";
    if (/^[A-Za-z0-9_-]{1,100}$/.test(value)) {
      // A name such as `constructor` has a value that is no target.
      var target = names[name][value];
      return { to: typeof target === "string" ? target : "", query: "?" + name + "=" + value };
    }
  }
  return { to: "" };
}

function isPage(path) {
  var looksLikeFile = path.slice(path.lastIndexOf("/")).indexOf(".") >= 0;
  return looksLikeFile ? DOTTED_PAGES.indexOf(path) >= 0 : DOTLESS_FILES.indexOf(path) < 0;
}

function moved(to, query, status) {
  var at = to.indexOf("#");
  var address = at < 0 ? to : to.slice(0, at);
  var fragment = at < 0 ? "" : to.slice(at);
  if (query && address.indexOf("?") < 0) {
    address += "?" + query;
  }
  var description = status === 302 ? "Found" : "Moved Permanently";
  return { statusCode: status, statusDescription: description, headers: { location: { value: address + fragment } } };
}

function queryOf(querystring) {
  var pairs = [];
  for (var name in querystring) {
    var values = querystring[name].multiValue || [querystring[name]];
    for (var i = 0; i < values.length; i++) {
      pairs.push(values[i].value === "" ? name : name + "=" + values[i].value);
    }
  }
  return pairs.join("&");
}
