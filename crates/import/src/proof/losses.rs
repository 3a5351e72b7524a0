//! Plants losses in what an import made, one at a time, and demands that the count finds each.
//!
//! Each thing in the export has a word of its own. A converter that had lost it would have written that word nowhere: not in
//! a file, and not in a note.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use config::theme::Theme;
use config::{self, SnapshotMode};

use super::count::compare;
use crate::{From, ImportOptions, ImportReport};

/// The losses: the word that stands for each, and its name in the count.
const LOSSES: [(&str, &str); 70] = [
    ("wparagraph", "text"),
    ("wheading", "text"),
    ("witem", "text"),
    ("wnested", "text"),
    ("wcell", "text"),
    ("wcolumn", "text"),
    ("wquote", "text"),
    ("wcite", "text"),
    ("winline", "text"),
    ("wblockofcode", "text"),
    ("wverse", "text"),
    ("wbold", "text"),
    ("wslanted", "text"),
    ("wlinked", "text"),
    ("waddress", "URL"),
    ("wtitleoflink", "description of an image or link"),
    ("walternative", "description of an image or link"),
    ("wpicture", "image"),
    ("wcaption", "text"),
    ("wgallery", "image"),
    ("wfootnote", "footnote"),
    ("wshortcode", "text"),
    ("wattribute", "text"),
    ("wliteral", "text"),
    ("citationw", "text"),
    ("wsummary", "text"),
    ("wdefinition", "text"),
    ("wform", "text"),
    ("wbutton", "text"),
    ("wframe", "URL"),
    ("wvideo", "URL"),
    ("wembedded", "URL"),
    ("wreusable", "reusable block"),
    ("wdynamic", "block"),
    ("wsetting", "block"),
    ("whtml", "text"),
    ("wentity", "text"),
    ("€", "text"),
    ("🦀", "text"),
    ("مرحبا", "text"),
    ("wclassic", "text"),
    ("wcaptionold", "text"),
    ("wtitle", "title"),
    ("wexcerpt", "excerpt"),
    ("wtag", "tag"),
    ("wcategory", "tag"),
    ("wgenre", "tag"),
    ("Wsecond", "tag"),
    ("Wname", "author"),
    ("wunlisted", "author"),
    ("Widle", "author"),
    ("wdescription", "field"),
    ("wrankmath", "field"),
    ("wfield", "field"),
    ("wenclosure", "enclosure"),
    ("wcomment", "comment"),
    ("Wreader", "comment"),
    ("wdraft", "text"),
    ("draft: true", "status"),
    ("publish_at", "status"),
    ("2011-03-04", "date"),
    ("wpage", "text"),
    ("woldslug", "field"),
    ("wfeatured", "featured image"),
    ("wunused", "file"),
    ("wtextoffile", "text of a file"),
    ("wtagline", "tagline"),
    ("wunusedtag", "tag or category"),
    ("wtermtext", "tag or category"),
    ("wproduct", "item"),
];

fn item(number: usize, kind: &str, title: &str, content: &str, more: &str) -> String {
    let status = if more.contains("<wp:status>") {
        ""
    } else {
        "<wp:status>publish</wp:status>"
    };
    let author = if more.contains("<dc:creator>") {
        ""
    } else {
        "<dc:creator>sam</dc:creator>"
    };
    format!(
        "<item><title><![CDATA[{title}]]></title><link>https://old.example/a{number}/</link>{author}\
         <content:encoded><![CDATA[{content}]]></content:encoded><wp:post_id>{number}</wp:post_id>\
         <wp:post_date>2011-03-{number:02} 07:08:09</wp:post_date><wp:post_date_gmt>2011-03-{number:02} 07:08:09</wp:post_date_gmt>\
         <wp:post_name>a{number}</wp:post_name><wp:post_type>{kind}</wp:post_type>{status}{more}</item>"
    )
}

fn meta(key: &str, value: &str) -> String {
    format!(
        "<wp:postmeta><wp:meta_key><![CDATA[{key}]]></wp:meta_key><wp:meta_value><![CDATA[{value}]]></wp:meta_value></wp:postmeta>"
    )
}

fn export() -> String {
    let blocks = "<!-- wp:paragraph --><p>One wparagraph, <strong>wbold</strong> <em>wslanted</em> \
        <a href=\"https://other.example/waddress\" title=\"wtitleoflink\">wlinked</a> <code>winline</code> &euro;5 🦀 مرحبا \
        &lt;wentity&gt; wquo<b>ted</b> “curly” – dash…<sup data-fn=\"f1\" class=\"fn\"><a href=\"#f1\">1</a></sup></p><!-- /wp:paragraph -->\
        <!-- wp:heading --><h2>wheading</h2><!-- /wp:heading --><!-- wp:list --><ul><li>witem<ul><li>wnested</li></ul></li></ul><!-- /wp:list -->\
        <!-- wp:table --><figure class=\"wp-block-table\"><table><thead><tr><th>wcolumn</th></tr></thead><tbody><tr><td>wcell</td></tr></tbody></table></figure><!-- /wp:table -->\
        <!-- wp:quote --><blockquote class=\"wp-block-quote\"><p>wquote</p><cite>wcite</cite></blockquote><!-- /wp:quote -->\
        <!-- wp:code --><pre class=\"wp-block-code\"><code>wblockofcode &lt;p&gt;</code></pre><!-- /wp:code -->\
        <!-- wp:verse --><pre class=\"wp-block-verse\">wverse</pre><!-- /wp:verse -->\
        <!-- wp:image --><figure class=\"wp-block-image\"><img src=\"https://old.example/wp-content/uploads/wpicture-300x200.jpg\" alt=\"walternative\"/><figcaption>wcaption</figcaption></figure><!-- /wp:image -->\
        <!-- wp:details --><details class=\"wp-block-details\"><summary>wsummary</summary><p>More</p></details><!-- /wp:details -->\
        <!-- wp:html --><dl><dt>Term</dt><dd>wdefinition</dd></dl><div>whtml</div><form><label>wform</label><button>wbutton</button></form><!-- /wp:html -->\
        <!-- wp:block {\"ref\":50} /--><!-- wp:acf/wdynamic {\"data\":{\"quote\":\"wsetting\"}} /-->\
        <!-- wp:embed {\"url\":\"https://social.example/wembedded1\"} --><figure class=\"wp-block-embed\"><div class=\"wp-block-embed__wrapper\">https://social.example/wembedded1</div></figure><!-- /wp:embed -->\
        <iframe src=\"https://maps.example/wframe\"></iframe><!-- wp:footnotes /-->";
    let classic = "wclassic text with [via wliteral] and [citationw needed]\n\n[mood a=\"wattribute\"]wshortcode[/mood]\n\n\
        [caption id=\"attachment_61\"]<img src=\"https://old.example/wp-content/uploads/other.jpg\" alt=\"x\"/> wcaptionold[/caption]\n\n\
        [gallery ids=\"61\"]\n\nhttps://www.youtube.com/watch?v=wvideo12345";
    let fields = [
        meta("_yoast_wpseo_metadesc", "A wdescription"),
        meta("rank_math_description", "A wrankmath"),
        meta("price", "wfield 12"),
        meta("_edit_last", "1"),
        meta("enclosure", "https://old.example/wp-content/uploads/wenclosure.mp3\n1\naudio/mpeg"),
        meta("_wp_old_slug", "woldslug"),
        meta("_thumbnail_id", "62"),
        meta("footnotes", "[{\"id\":\"f1\",\"content\":\"A wfootnote\"}]"),
        "<excerpt:encoded><![CDATA[wexcerpt]]></excerpt:encoded>".to_owned(),
        "<category domain=\"post_tag\" nicename=\"wtag\">wtag</category><category domain=\"category\" nicename=\"wcategory\">wcategory</category>\
         <category domain=\"genre\" nicename=\"wgenre\">wgenre</category><category domain=\"author\" nicename=\"cap-sam\">Wname Rivera</category>\
         <category domain=\"author\" nicename=\"cap-two\">Wsecond Writer</category>".to_owned(),
        "<wp:comment><wp:comment_id>1</wp:comment_id><wp:comment_author>Wreader</wp:comment_author><wp:comment_approved>1</wp:comment_approved>\
         <wp:comment_content>wcomment</wp:comment_content></wp:comment><wp:comment><wp:comment_id>2</wp:comment_id><wp:comment_approved>0</wp:comment_approved></wp:comment>".to_owned(),
    ];
    let attachment = |number: usize, file: &str, text: &str| {
        let address = format!(
            "<wp:attachment_url>https://old.example/wp-content/uploads/{file}</wp:attachment_url>"
        );
        item(number, "attachment", "File", text, &address)
    };
    let items = [
        item(4, "post", "wtitle", blocks, &fields.concat()),
        item(
            5,
            "post",
            "Classic",
            classic,
            "<dc:creator>wunlisted</dc:creator>",
        ),
        item(6, "post", "Draft", "wdraft", "<wp:status>draft</wp:status>"),
        item(
            7,
            "post",
            "Later",
            "Text of later",
            "<wp:status>future</wp:status>",
        ),
        item(8, "page", "Page", "<p>wpage</p>", ""),
        item(9, "product", "wproduct", "x", ""),
        item(10, "post", "Gone", "x", "<wp:status>trash</wp:status>"),
        item(11, "nav_menu_item", "Menu", "", ""),
        item(50, "wp_block", "Shared", "<p>wreusable</p>", ""),
        attachment(61, "wgallery.jpg", ""),
        attachment(62, "wfeatured.jpg", ""),
        attachment(63, "wunused.jpg", "wtextoffile"),
    ];
    let author = |login: &str, name: &str| {
        format!(
            "<wp:author><wp:author_login>{login}</wp:author_login><wp:author_display_name>{name}</wp:author_display_name></wp:author>"
        )
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss xmlns:wp=\"http://wordpress.org/export/1.2/\"><channel><title>Old blog</title>\
         <description>wtagline</description><wp:base_blog_url>https://old.example</wp:base_blog_url>{}{}\
         <wp:tag><wp:tag_slug>wunusedtag</wp:tag_slug><wp:tag_name>wunusedtag</wp:tag_name></wp:tag>\
         <wp:category><wp:category_nicename>wcategory</wp:category_nicename><wp:cat_name>wcategory</wp:cat_name><wp:category_description>wtermtext</wp:category_description></wp:category>\
         {}</channel></rss>",
        author("sam", "Wname Rivera"),
        author("idle", "Widle Writer"),
        items.concat()
    )
}

/// A small site with a blog, and its settings.
fn site() -> (TempDir, config::Config) {
    let folder = tempfile::tempdir().expect("a folder");
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sites/_base");
    for (name, bytes) in below(&base) {
        let to = folder
            .path()
            .join(name.strip_prefix(&base).expect("a file of the site"));
        fs_err::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs_err::write(to, bytes).expect("a file");
    }
    let list = "path: /notes/\ntitle: Notes\ndescription: Notes.\nsections:\n  - kind: blog\n    label: All\n    title: Notes\n    lead: All.\n    \
                tagged_title: \"{tag}\"\n    post: \"{title}\"\n    tag: {title: \"{tag}\", description: \"On {tag}.\"}\n    \
                author: {title: \"{name}\", description: \"By {name}.\"}\n    further: \"{title} {number}\"\n";
    fs_err::create_dir_all(folder.path().join("content/pages/notes")).expect("a folder");
    fs_err::write(folder.path().join("content/pages/notes/en.yaml"), list).expect("a page");
    let options = config::Options {
        root: folder.path().to_owned(),
        out: None,
        base_url: None,
        set: Vec::new(),
        strict: false,
        precompress: false,
        drafts: false,
        at: None,
        snapshot: SnapshotMode::Fallback,
        cache: None,
        theme: Theme::default(),
    };
    let config = config::load(&options).0.expect("a site");
    (folder, config)
}

/// All files below a folder with their bytes.
fn below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            files.extend(below(&entry.path()));
        } else {
            files.insert(entry.path(), fs_err::read(entry.path()).expect("a file"));
        }
    }
    files
}

/// A report in which nothing names a word.
fn without(report: &ImportReport, word: &str) -> ImportReport {
    let plain = |text: &String| text.replace(word, "");
    let map = |map: &BTreeMap<String, String>| {
        map.iter()
            .map(|(key, value)| (plain(key), plain(value)))
            .collect()
    };
    let set = |set: &BTreeSet<String>| set.iter().map(plain).collect();
    let mut report = ImportReport {
        posts: report.posts.clone(),
        pages: report.pages.clone(),
        not_imported: report.not_imported.clone(),
        skipped: report
            .skipped
            .iter()
            .filter(|(_, what)| !what.contains(word))
            .map(|(id, what)| (*id, what.clone()))
            .collect(),
        about: map(&report.about),
        internal_fields: report.internal_fields.clone(),
        authors_without_posts: set(&report.authors_without_posts),
        unused_files: set(&report.unused_files),
        missing_files: report.missing_files.clone(),
        evidence: super::Evidence {
            home: report.evidence.home.clone(),
            saved: report.evidence.saved.clone(),
            ..Default::default()
        },
        ..ImportReport::default()
    };
    for post in report.posts.values_mut().chain(report.pages.values_mut()) {
        post.notes = set(&post.notes);
        post.left_out = map(&post.left_out);
        post.fields = post.fields.iter().map(plain).collect();
    }
    report
}

#[test]
fn every_planted_loss_is_found() {
    let (folder, config) = site();
    let export_file = folder.path().join("export.xml");
    fs_err::write(&export_file, export()).expect("an export");
    let uploads = folder.path().join("uploads");
    fs_err::create_dir_all(&uploads).expect("a folder");
    let options = ImportOptions {
        from: From::ExportFile(export_file.clone()),
        locale: None,
        uploads: Some(uploads),
        without_pictures: false,
        with_proof: true,
    };
    let (report, problems) = crate::run(&config, &options, &|_| {});
    assert!(!problems.has_errors(), "{problems:?}");
    let root = folder.path();
    let lost = |report: &ImportReport| compare(&export_file, root, report).expect("a comparison").1;
    let nothing = lost(&without(&report, "\u{0}"));
    assert!(nothing.is_empty(), "nothing is lost: {nothing:#?}");
    let files = below(&root.join("content"));
    let mut missed = Vec::new();
    for (word, what) in LOSSES {
        let changed = files.iter().filter_map(|(path, bytes)| {
            let text = std::str::from_utf8(bytes)
                .ok()
                .filter(|text| text.contains(word))?;
            Some((path, text.replace(word, "")))
        });
        let changed: Vec<_> = changed.collect();
        changed
            .iter()
            .for_each(|(path, text)| fs_err::write(path, text).expect("a planted loss"));
        let found = lost(&without(&report, word));
        if !found
            .iter()
            .any(|lost| lost.what == what || what == "tag" && lost.what == "field")
        {
            missed.push((word, what, found));
        }
        changed
            .iter()
            .for_each(|(path, _)| fs_err::write(path, &files[*path]).expect("the file"));
    }
    assert!(missed.is_empty(), "these losses are not found: {missed:#?}");
    // Whole files, and numbers of what nobody sees.
    for file in [
        "content/blog/en/a5/index.md",
        "content/blog/en/a4/index.md",
        "content/authors/sam.yaml",
    ] {
        let bytes = fs_err::read(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        fs_err::remove_file(root.join(file)).expect("a planted loss");
        assert!(!lost(&report).is_empty(), "{file}");
        fs_err::write(root.join(file), bytes).expect("the file");
    }
    for number in [9, 10, 11] {
        let mut report = without(&report, "\u{0}");
        report.skipped.remove(&number);
        assert_eq!(lost(&report)[0].what, "item", "{number}");
    }
    let mut uncounted = without(&report, "\u{0}");
    uncounted.not_imported.clear();
    uncounted.internal_fields.clear();
    let found: BTreeSet<String> = lost(&uncounted).into_iter().map(|lost| lost.what).collect();
    assert_eq!(found, ["comments", "field"].map(str::to_owned).into());
}
