<?php
// Fills an empty WordPress with the posts that imports are tried on.
ini_set('memory_limit','1G');
$_SERVER['HTTP_HOST'] = parse_url(getenv('WORDPRESS_URL'), PHP_URL_HOST).':'.parse_url(getenv('WORDPRESS_URL'), PHP_URL_PORT); $_SERVER['SERVER_NAME']='127.0.0.1'; $_SERVER['REQUEST_METHOD']='GET'; $_SERVER['SERVER_PROTOCOL']='HTTP/1.1';
define('WP_INSTALLING', true);
require getenv('WORDPRESS_FOLDER').'/site/wp-load.php';
require_once ABSPATH.'wp-admin/includes/upgrade.php';
require_once ABSPATH.'wp-admin/includes/image.php';
require_once ABSPATH.'wp-admin/includes/user.php';
function wp_new_blog_notification() {}
wp_install('Harbor <em>Notes</em> & more', 'admin', 'admin@secret.example', true, '', 'pw');
wp_installing(false);
$wp_rewrite->set_permalink_structure('/%year%/%monthnum%/%postname%/');
update_option('timezone_string','America/Bogota'); update_option('posts_per_page', 10);
wp_delete_post(1, true); wp_delete_post(2, true); wp_delete_post(3, true);
flush_rewrite_rules(false);
kses_remove_filters();
$users = [];
foreach ([['ana','Ana Ruiz'],['jose','José "Pepe" Gómez'],['yuki','田中 雪'],['max@secret.example','Max Mustermann']] as [$login,$name])
  $users[] = wp_insert_user(['user_login'=>$login,'user_pass'=>'x','user_email'=>"$login@secret.example",'display_name'=>$name,'role'=>'author','description'=>"About <b>$name</b> & more."]);
[$password] = WP_Application_Passwords::create_new_application_password(1, ['name'=>'import']);
file_put_contents(getenv('WORDPRESS_FOLDER').'/password', $password);
$upload = wp_upload_dir('2020/01');
function picture($name, $w, $h, $noise, $alt, $caption='', $type='jpg') {
  $dir = wp_upload_dir('2020/01');
  $im = imagecreatetruecolor($w,$h);
  if ($noise) { mt_srand(crc32($name)); for($y=0;$y<$h;$y++) for($x=0;$x<$w;$x++) imagesetpixel($im,$x,$y,mt_rand(0,0xffffff)); }
  else { mt_srand(crc32($name)); for($i=0;$i<40;$i++) imagefilledellipse($im, mt_rand(0,$w), mt_rand(0,$h), mt_rand(5,$w/3), mt_rand(5,$h/3), mt_rand(0,0xffffff)); }
  $file = $dir['path'].'/'.$name.'.'.$type;
  $type=='png' ? imagepng($im,$file,1) : imagejpeg($im,$file,90);
  $id = wp_insert_attachment(['post_mime_type'=>"image/".($type=='png'?'png':'jpeg'),'post_title'=>$name,'post_excerpt'=>$caption,'post_status'=>'inherit','post_date'=>'2020-01-05 10:00:00'], $file, 0);
  wp_update_attachment_metadata($id, wp_generate_attachment_metadata($id, $file));
  if ($alt) update_post_meta($id,'_wp_attachment_image_alt', $alt);
  return $id;
}
$pics = [];
for ($i=0;$i<12;$i++) $pics[] = picture("Boat_$i".($i==3?'-Ñandú':''), 1200+$i*40, 800, false, $i%3 ? "A boat, \"number\" $i <b>" : '', $i%4==1 ? "Caption $i & more" : '');
$big = picture('huge', 1900, 1850, true, 'Noise', '', 'png');
$svgless = picture('tiny', 40, 30, false, 'Tiny');
$pdf = $upload['path'].'/Price List 2020.pdf'; file_put_contents($pdf, "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF");
$pdfid = wp_insert_attachment(['post_mime_type'=>'application/pdf','post_title'=>'Prices','post_status'=>'inherit'], $pdf, 0);
$gone = picture('gone', 300, 200, false, 'Gone'); $gone_url = wp_get_attachment_url($gone);
$cats = []; foreach (['Sailing & Rowing','C++','Ports','Náutica'] as $n) $cats[] = wp_insert_term($n,'category')['term_id'];
$sub = wp_insert_term('Docks','category',['parent'=>$cats[2]])['term_id'];
$tags = ['C#','Old boats','AI & ML','日本','vela'];
function img($id,$size='large',$caption='',$extra='') { $s = wp_get_attachment_image_src($id,$size); $alt = esc_attr(get_post_meta($id,'_wp_attachment_image_alt',true));
  return "<!-- wp:image {\"id\":$id,\"sizeSlug\":\"$size\"$extra} -->\n<figure class=\"wp-block-image size-$size\"><img src=\"{$s[0]}\" alt=\"$alt\" class=\"wp-image-$id\"/>".($caption?"<figcaption class=\"wp-element-caption\">$caption</figcaption>":'')."</figure>\n<!-- /wp:image -->\n\n"; }
function p($t) { return "<!-- wp:paragraph -->\n<p>$t</p>\n<!-- /wp:paragraph -->\n\n"; }
function block($i,$es) { global $pics,$pdfid,$gone,$gone_url; $w=$es?'palabras':'words'; $h = home_url(); $pic=$pics[$i%12]; $pic2=$pics[($i+5)%12]; $u=wp_get_attachment_url($pdfid); $full=wp_get_attachment_url($pic);
  $out = p("First $w number $i, <strong>bold </strong>and <em>slanted</em> &amp; <code>x &lt; $i</code>, 2 * 3, snake_case, [brackets] and “quotes”. <a href=\"$h/?p=".(40+$i)."\">Another</a>, <a href=\"https://x.example/?a=1&amp;b=2\" target=\"_blank\" rel=\"noreferrer noopener\">outside</a>.");
  if ($i%2) $out .= "<!-- wp:heading -->\n<h2>Heading $i: <em>why</em></h2>\n<!-- /wp:heading -->\n\n".p("Text below.<br>Second line.")."<!-- wp:heading {\"level\":3} -->\n<h3 id=\"own-anchor\">Lower $i</h3>\n<!-- /wp:heading -->\n\n".p("To the <a href=\"#own-anchor\">anchor</a>.");
  if ($i%3==0) $out .= "<!-- wp:list -->\n<ul><!-- wp:list-item -->\n<li>one<!-- wp:list {\"ordered\":true} -->\n<ol><!-- wp:list-item -->\n<li>inner <b>x</b></li>\n<!-- /wp:list-item --></ol>\n<!-- /wp:list --></li>\n<!-- /wp:list-item -->\n\n<!-- wp:list-item -->\n<li>two</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->\n\n";
  if ($i%2==0) $out .= img($pic,'large',$i%4?"Caption <em>of</em> $i":'');
  if ($i%5==0) $out .= "<!-- wp:table -->\n<figure class=\"wp-block-table\"><table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1 | 2</td><td><strong>x</strong></td></tr><tr><td></td><td>3</td></tr></tbody></table><figcaption>Numbers of $i</figcaption></figure>\n<!-- /wp:table -->\n\n";
  if ($i%5==1) $out .= "<!-- wp:code -->\n<pre class=\"wp-block-code\"><code>fn main() {\n\n    println!(\"&lt;hi&gt;\");\n}</code></pre>\n<!-- /wp:code -->\n\n";
  if ($i%5==2) $out .= "<!-- wp:quote -->\n<blockquote class=\"wp-block-quote\"><!-- wp:paragraph -->\n<p>Said $i</p>\n<!-- /wp:paragraph --><!-- wp:list -->\n<ul><li>in a list<table><tbody><tr><td rowspan=\"2\">t</td><td>u</td></tr><tr><td>v</td></tr></tbody></table></li></ul>\n<!-- /wp:list --><cite>Somebody</cite></blockquote>\n<!-- /wp:quote -->\n\n";
  if ($i%5==3) $out .= "<!-- wp:columns -->\n<div class=\"wp-block-columns\"><!-- wp:column -->\n<div class=\"wp-block-column\">".p("Left $i")."</div>\n<!-- /wp:column -->\n\n<!-- wp:column -->\n<div class=\"wp-block-column\"><!-- wp:buttons -->\n<div class=\"wp-block-buttons\"><!-- wp:button -->\n<div class=\"wp-block-button\"><a class=\"wp-block-button__link wp-element-button\" href=\"$h/about/team/\">Right</a></div>\n<!-- /wp:button --></div>\n<!-- /wp:buttons --></div>\n<!-- /wp:column --></div>\n<!-- /wp:columns -->\n\n";
  if ($i%5==4) $out .= "<!-- wp:gallery {\"linkTo\":\"media\"} -->\n<figure class=\"wp-block-gallery has-nested-images columns-default is-cropped\">".img($pic,'large','',',"linkDestination":"media"').img($pic2,'medium',"Two")."<figcaption class=\"blocks-gallery-caption\">All of $i</figcaption></figure>\n<!-- /wp:gallery -->\n\n";
  if ($i%7==0) $out .= "<!-- wp:embed {\"url\":\"https://www.youtube.com/watch?v=abc$i\",\"type\":\"video\",\"providerNameSlug\":\"youtube\"} -->\n<figure class=\"wp-block-embed is-type-video\"><div class=\"wp-block-embed__wrapper\">\nhttps://www.youtube.com/watch?v=abc$i\n</div></figure>\n<!-- /wp:embed -->\n\n";
  if ($i%7==1) $out .= "<!-- wp:details -->\n<details class=\"wp-block-details\"><summary>More of $i</summary>".p("Hidden <b>words</b>")."</details>\n<!-- /wp:details -->\n\n";
  if ($i%7==2) $out .= "<!-- wp:file {\"id\":$pdfid,\"href\":\"$u\"} -->\n<div class=\"wp-block-file\"><a href=\"$u\">Prices</a><a href=\"$u\" class=\"wp-block-file__button\" download>Download</a></div>\n<!-- /wp:file -->\n\n";
  if ($i%7==3) $out .= "<!-- wp:separator -->\n<hr class=\"wp-block-separator has-alpha-channel-opacity\"/>\n<!-- /wp:separator -->\n\n<!-- wp:preformatted -->\n<pre class=\"wp-block-preformatted\">a   b\n c</pre>\n<!-- /wp:preformatted -->\n\n<!-- wp:verse -->\n<pre class=\"wp-block-verse\">Rose <em>is</em>\n a rose</pre>\n<!-- /wp:verse -->\n\n";
  if ($i%7==4) $out .= "<!-- wp:latest-posts /-->\n\n<!-- wp:html -->\n<script>alert(1)</script><p onclick=\"x()\">Raw $i</p><svg onload=x()></svg><form action=\"/x\"><label>Mail <input name=m></label><button>Go</button></form>\n<!-- /wp:html -->\n\n";
  if ($i%7==5) $out .= "<!-- wp:media-text {\"mediaId\":$pic,\"mediaType\":\"image\"} -->\n<div class=\"wp-block-media-text alignwide is-stacked-on-mobile\"><figure class=\"wp-block-media-text__media\"><a href=\"$full\"><img src=\"$full\" alt=\"\" class=\"wp-image-$pic size-full\"/></a></figure><div class=\"wp-block-media-text__content\">".p("Beside $i")."</div></div>\n<!-- /wp:media-text -->\n\n<!-- wp:pullquote -->\n<figure class=\"wp-block-pullquote\"><blockquote><p>Pulled $i</p><cite>Who</cite></blockquote></figure>\n<!-- /wp:pullquote -->\n\n";
  if ($i%7==6) $out .= "<!-- wp:audio -->\n<figure class=\"wp-block-audio\"><audio controls src=\"$h/wp-content/uploads/2020/01/no.mp3\"></audio></figure>\n<!-- /wp:audio -->\n\n<!-- wp:group -->\n<div class=\"wp-block-group\"><!-- wp:image {\"id\":$gone} -->\n<figure class=\"wp-block-image\"><img src=\"$gone_url\" alt=\"Gone\" class=\"wp-image-$gone\"/></figure>\n<!-- /wp:image --></div>\n<!-- /wp:group -->\n\n";
  return $out; }
function classic($i,$es) { global $pics; $pic=$pics[$i%12]; $s=wp_get_attachment_image_src($pic,'medium'); $full=wp_get_attachment_url($pic); $h=home_url(); $w=$es?'viejas palabras':'old words';
  $out = "Some $w in line $i\nand another — with <b>bold</b>text &amp; 5 &lt; 6.\n\n";
  if ($i%2) $out .= "[caption id=\"attachment_$pic\" align=\"alignnone\" width=\"300\"]<a href=\"$full\"><img class=\"wp-image-$pic size-medium\" src=\"{$s[0]}\" alt=\"\" width=\"300\" height=\"200\" /></a> The <em>boat</em> {$i}[/caption]\n\n";
  if ($i%3==0) $out .= "[gallery ids=\"$pic,{$pics[($i+1)%12]}\" link=\"file\"]\n\n";
  if ($i%3==1) $out .= "https://youtu.be/xyz$i\n\n";
  if ($i%3==2) $out .= "<h1>Big $i</h1>\nText after\n<h4>Small</h4>\n<ul>\n \t<li>First</li>\n \t<li>Second [contact-form-7 id=\"1\" title=\"x\"]</li>\n</ul>\n";
  if ($i%4==0) $out .= "<span style=\"font-weight: 700;\">Bold</span>foo<b>bar</b> <font color=red>red</font> <u>under</u> <sup>2</sup> <a href=\"javascript:alert(1)\">bad</a> <a href=\"$h/category/ports/docks/\">docks</a> <a href=\"/2020/01/nothing/\">dead</a>\n\n";
  if ($i%4==1) $out .= "<blockquote>Quoted\n\nTwice</blockquote>\n<pre lang=\"php\">echo 1 &lt; 2;\n\n  done();</pre>\n";
  if ($i%4==2) $out .= "<b>broken <i>markup</b> here</i> <table><tr><td><ul><li>in a table<blockquote><table><tr><td>deep</table></blockquote>\n\n</ul></td></tr></table>\n";
  if ($i%4==3) $out .= "<!--more-->\n\n# not a heading\n\n1. Not a list\n\nText {product.name} [unknown_code a=1]inner[/unknown_code] <iframe src=\"https://maps.example/$i\" title=\"Map\"></iframe>\n\n[audio src=\"$h/wp-content/uploads/2020/01/no.mp3\"]\n\n<!--nextpage-->\n\nPage two.";
  return $out; }
$titles = ['Plain title','Title with <em>em</em> & "quotes"','日本語の投稿','عنوان عربي','C++ & C# — what?','</script><b>x</b>','Año nuevo: ñandú','It’s 100% <fine>'];
$group = [];
for ($i=0;$i<200;$i++) {
  $es = $i%2; $n = intdiv($i,2); $classic = $n%3==0;
  $title = $titles[$n%8]." $n".($es?' ES':'');
  $slug = $n%8==2 ? "日本語の投稿-$n".($es?'-es':'') : ($n%8==3 ? "عنوان-عربي-$n".($es?'-es':'') : '');
  $status = $n==90?'draft':($n==91?'future':($n==92?'private':'publish'));
  $date = $n==91 ? '2030-05-01 09:00:00' : sprintf('20%02d-%02d-%02d %02d:30:00', 18+$n%6, 1+$n%12, 1+$n%28, $n%24);
  $id = wp_insert_post(wp_slash(['post_title'=>$title,'post_name'=>$slug,'post_status'=>$status,'post_date'=>$date,'post_author'=>$n%9==8?9999:$users[$n%4],
    'post_content'=>$classic?classic($n,$es):block($n,$es),'post_excerpt'=>$n%4==0?"Excerpt $n & <b>more</b>":'','post_password'=>$n==93?'secret':'']), true);
  if (is_wp_error($id)) { echo $id->get_error_message(),"\n"; continue; }
  if ($n%10==9) wp_set_object_terms($id, [], 'category'); else wp_set_object_terms($id, $n%10==4?[$sub]:[$cats[$n%4]], 'category');
  wp_set_object_terms($id, [$tags[$n%5], $tags[($n+2)%5]], 'post_tag');
  if ($n%2==0) set_post_thumbnail($id, $n==10?$big:$pics[$n%12]);
  if ($n==12) set_post_thumbnail($id, 99999);
  wp_set_object_terms($id, [$es?'es':'en'], 'language');
  if ($n%4!=3) { wp_set_object_terms($id, ["pll_$n"], 'post_translations'); }
  if ($n%6==0) { $c = wp_insert_comment(['comment_post_ID'=>$id,'comment_author'=>'Leo','comment_author_email'=>'leo@secret.example','comment_author_IP'=>'1.2.3.4','comment_content'=>"Nice <b>$n</b>",'comment_approved'=>1,'comment_type'=>'comment']);
    wp_insert_comment(['comment_post_ID'=>$id,'comment_author'=>'Eva','comment_author_email'=>'eva@secret.example','comment_content'=>"Answer",'comment_parent'=>$c,'comment_approved'=>1,'comment_type'=>'comment']); }
  if ($n%11==0) add_post_meta($id,'_wp_old_slug',"old-slug-$i");
}
$lang = function ($id,$code,$g) { wp_set_object_terms($id, [$code], 'language'); wp_set_object_terms($id, [$g], 'post_translations'); };
$mk = function ($t,$c,$parent=0,$slug='',$status='publish') { return wp_insert_post(wp_slash(['post_type'=>'page','post_title'=>$t,'post_content'=>$c,'post_parent'=>$parent,'post_status'=>$status,'post_author'=>1,'post_name'=>$slug])); };
$front=$mk('Front','Welcome'); $blog=$mk('Journal',''); update_option('show_on_front','page'); update_option('page_on_front',$front); update_option('page_for_posts',$blog);
$about=$mk('About us',block(14,0)); $team=$mk('Team & friends',block(5,0),$about,'team'); $mk('Table page',block(10,0).classic(3,0),$team);
$acerca=$mk('Acerca',block(2,1)); $equipo=$mk('Equipo',block(6,1),$acerca); $mk('Draft page','x',0,'','draft'); $mk('Japan 日本',p('テキスト'));
foreach ([[$front,'en','pg0'],[$blog,'en','pg1'],[$about,'en','pg2'],[$acerca,'es','pg2'],[$team,'en','pg3'],[$equipo,'es','pg3']] as [$a,$b,$c]) $lang($a,$b,$c);
wp_update_post(['ID'=>$pics[0],'post_parent'=>$about]);
file_put_contents(dirname(get_attached_file($gone)).'/no.mp3', 'x');
echo wp_count_posts()->publish, " published\n";
