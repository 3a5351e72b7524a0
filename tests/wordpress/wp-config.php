<?php
// Settings of the WordPress of the test. Its keys protect nothing.
define('DB_NAME','wp'); define('DB_USER','root'); define('DB_PASSWORD',''); define('DB_HOST','localhost:'.getenv('WORDPRESS_FOLDER').'/socket');
define('DB_CHARSET','utf8mb4'); define('DB_COLLATE','');
foreach (['AUTH_KEY','SECURE_AUTH_KEY','LOGGED_IN_KEY','NONCE_KEY','AUTH_SALT','SECURE_AUTH_SALT','LOGGED_IN_SALT','NONCE_SALT'] as $k) define($k, md5($k));
define('WP_HOME',getenv('WORDPRESS_URL')); define('WP_SITEURL',getenv('WORDPRESS_URL'));
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true); define('WP_ENVIRONMENT_TYPE','local');
define('WP_MEMORY_LIMIT','512M');
$table_prefix='wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__.'/');
require_once ABSPATH.'wp-settings.php';
