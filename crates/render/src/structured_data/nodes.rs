//! The types of <https://schema.org> that pages use. A required property is a plain field, so it cannot be left out; an
//! optional property is an `Option`, and is omitted if it is `None`.

use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
pub(super) struct Graph<'a> {
    #[serde(rename = "@context")]
    pub context: &'static str,
    #[serde(rename = "@graph")]
    pub graph: Vec<GraphEntry<'a>>,
}

/// A node of a graph. Nodes that all pages share are serialized once.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum GraphEntry<'a> {
    Own(Box<Node<'a>>),
    Written(&'a RawValue),
    /// A node that the schema of a collection declares.
    Declared(serde_json::Value),
}

impl<'a> From<Node<'a>> for GraphEntry<'a> {
    fn from(node: Node<'a>) -> GraphEntry<'a> {
        GraphEntry::Own(Box::new(node))
    }
}

/// A node with its type.
#[derive(Serialize)]
#[serde(tag = "@type")]
pub(super) enum Node<'a> {
    Organization(Organization<'a>),
    WebSite(WebSite<'a>),
    WebPage(WebPage<'a>),
    AboutPage(WebPage<'a>),
    ContactPage(WebPage<'a>),
    Service(Service<'a>),
    BreadcrumbList(TrailOfPages),
    FAQPage(FaqPage),
    BlogPosting(BlogPosting<'a>),
}

/// The `@id` of another node.
#[derive(Serialize)]
pub(super) struct Reference {
    #[serde(rename = "@id")]
    pub id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Organization<'a> {
    #[serde(rename = "@id")]
    pub id: String,
    pub name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_name: Option<&'a str>,
    pub url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<ImageObject>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same_as: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contact_point: Vec<ContactPoint<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub founding_date: Option<String>,
}

#[derive(Serialize)]
#[serde(tag = "@type")]
pub(super) struct ImageObject {
    pub url: String,
    pub width: u32,
    pub height: u32,
}

#[derive(Serialize)]
#[serde(tag = "@type", rename_all = "camelCase")]
pub(super) struct ContactPoint<'a> {
    pub contact_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telephone: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<&'a str>,
    pub available_language: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WebSite<'a> {
    #[serde(rename = "@id")]
    pub id: String,
    pub url: String,
    pub name: &'a str,
    pub publisher: Reference,
    pub in_language: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WebPage<'a> {
    #[serde(rename = "@id")]
    pub id: String,
    pub url: String,
    pub name: &'a str,
    pub description: &'a str,
    pub is_part_of: Reference,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<Reference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breadcrumb: Option<Reference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_image_of_page: Option<ImageUrl>,
    pub in_language: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_modified: Option<&'a str>,
}

/// A picture without a size.
#[derive(Serialize)]
#[serde(tag = "@type", rename = "ImageObject")]
pub(super) struct ImageUrl {
    pub url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Service<'a> {
    #[serde(rename = "@id")]
    pub id: String,
    pub name: String,
    pub description: &'a str,
    pub url: String,
    pub provider: Reference,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrailOfPages {
    #[serde(rename = "@id")]
    pub id: String,
    pub item_list_element: Vec<ListItem>,
}

#[derive(Serialize)]
#[serde(tag = "@type")]
pub(super) struct ListItem {
    pub position: u32,
    pub name: String,
    pub item: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FaqPage {
    #[serde(rename = "@id")]
    pub id: String,
    pub url: String,
    pub main_entity: Vec<Question>,
}

#[derive(Serialize)]
#[serde(tag = "@type", rename_all = "camelCase")]
pub(super) struct Question {
    pub name: String,
    pub accepted_answer: Answer,
}

#[derive(Serialize)]
#[serde(tag = "@type")]
pub(super) struct Answer {
    pub text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BlogPosting<'a> {
    #[serde(rename = "@id")]
    pub id: String,
    pub headline: String,
    pub description: &'a str,
    pub url: String,
    pub main_entity_of_page: Reference,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_published: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_modified: Option<String>,
    pub author: Writer,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageUrl>,
    pub in_language: &'a str,
    pub publisher: Reference,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub keywords: &'a [String],
    pub word_count: usize,
}

/// The author of a post: a person with an author page, or the company.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Writer {
    Person(Person),
    Company(Reference),
}

#[derive(Serialize)]
#[serde(tag = "@type")]
pub(super) struct Person {
    pub name: String,
    pub url: String,
}
