<?php
// Writes the export file of everything, as Tools → Export does.
ini_set('memory_limit','1G');
$_SERVER['HTTP_HOST'] = parse_url(getenv('WORDPRESS_URL'), PHP_URL_HOST).':'.parse_url(getenv('WORDPRESS_URL'), PHP_URL_PORT); $_SERVER['REQUEST_METHOD']='GET'; $_SERVER['SERVER_PROTOCOL']='HTTP/1.1';
require getenv('WORDPRESS_FOLDER').'/site/wp-load.php'; require_once ABSPATH.'wp-admin/includes/export.php'; wp_set_current_user(1); export_wp();
