//! All tests of the whole program, in one binary because linking is the slow part.

mod blog;
mod cli;
mod cms;
mod cms_server;
mod documents;
mod facts;
mod gallery;
mod golden;
mod hostile;
mod hosts;
mod input;
mod islands;
mod pages;
mod pictures;
mod publish;
mod serve;
mod site_test;
mod tidy;
