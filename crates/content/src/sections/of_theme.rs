//! The schemas of the theme's section kinds, for sites that have its templates themselves, and for what is asked without a site.

macro_rules! schemas {
    ($($name:literal,)*) => {
        /// Each kind, by name, with the text of its schema.
        pub(super) const SCHEMAS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../templates/sections/", $name, "/schema.yaml")))),*];
    };
}

schemas! {
    "accessibility_statement",
    "blog",
    "call_to_action",
    "case_studies",
    "checklist",
    "contact_details",
    "embed",
    "entries",
    "faq",
    "features",
    "form",
    "form_page",
    "guide_contrast",
    "guide_do_dont",
    "guide_figures",
    "guide_gallery",
    "guide_head",
    "guide_icons",
    "guide_logo",
    "guide_navigation",
    "guide_search",
    "guide_swatches",
    "guide_tokens",
    "guide_type",
    "guide_variants",
    "hero",
    "link_cards",
    "logo_strip",
    "media_text",
    "name_list",
    "numbered_list",
    "org_chart",
    "phases",
    "photo",
    "portfolio",
    "post_search",
    "pricing_table",
    "profiles",
    "prose",
    "quote",
    "search",
    "spans",
    "tech_stack",
    "timeline",
}
