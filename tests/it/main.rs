//! All tests of the whole program, in one binary because linking is the slow part.

mod blog;
mod blog_pages;
mod case_studies;
mod cli;
mod cms;
mod cms_outages;
mod cms_server;
mod documents;
mod external;
mod facts;
mod feeds;
mod gallery;
mod golden;
mod head;
mod hostile;
mod hosts;
mod input;
mod inspect;
mod islands;
mod pages;
mod pictures;
mod publish;
mod serve;
mod site_test;
mod tidy;
mod urls;
