<?php
// Serves files, and leaves all other addresses to WordPress.
$path = rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
$file = getenv('WORDPRESS_FOLDER').'/site'.$path;
if ($path !== '/' && is_file($file)) return false;
if (is_dir($file) && is_file($file.'/index.php')) { require $file.'/index.php'; return true; }
$_SERVER['SCRIPT_NAME']='/index.php'; $_SERVER['PHP_SELF']='/index.php'; $_SERVER['SCRIPT_FILENAME']=getenv('WORDPRESS_FOLDER').'/site/index.php';
chdir(getenv('WORDPRESS_FOLDER').'/site'); require getenv('WORDPRESS_FOLDER').'/site/index.php'; return true;
