-- A lead store of a program before leads were answers, with format version 4: leads as JSON and without JavaScript, one of them
-- spam, and answers to a form, with consents, a file and a webhook. That program wrote it; `.dump` printed it.
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE deliveries (
  id TEXT NOT NULL PRIMARY KEY,
  lead TEXT NOT NULL REFERENCES leads (id) ON DELETE CASCADE,
  channel TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('due', 'done', 'dead')),
  next INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  since INTEGER NOT NULL,
  trouble TEXT
) WITHOUT ROWID;
INSERT INTO "deliveries" VALUES('01M8NZSQZ4W8F7PPW8QF2C944Y-webhook','01M8NZSQZ4W8F7PPW8QF2C944Y','webhook','due',1736034332530,1,1736034322404,'the connection failed');
INSERT INTO "deliveries" VALUES('01M8NZSR64N7HNTHDZ7YJ3W0ZG-webhook','01M8NZSR64N7HNTHDZ7YJ3W0ZG','webhook','due',1736034332902,1,1736034322628,'the connection failed');
INSERT INTO "deliveries" VALUES('01M8NZSRD5N28C3170V3TT69TK-webhook','01M8NZSRD5N28C3170V3TT69TK','webhook','due',1736034333657,1,1736034322853,'the connection failed');
INSERT INTO "deliveries" VALUES('01M8NZSRD8DBHMW60H2FPHEQR6-webhook','01M8NZSRD8DBHMW60H2FPHEQR6','webhook','due',1736034332960,1,1736034322856,'the connection failed');
INSERT INTO "deliveries" VALUES('01M8NZSRDC5RTK27Z38X8RQ78W-webhook','01M8NZSRDC5RTK27Z38X8RQ78W','webhook','due',1736034332999,1,1736034322860,'the connection failed');
CREATE TABLE facts (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "facts" VALUES('channels','webhook');
INSERT INTO "facts" VALUES('time','1736034322202');
CREATE TABLE files (
  lead TEXT NOT NULL REFERENCES leads (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  field TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (lead, place)
);
INSERT INTO "files" VALUES('01M8NZSRDC5RTK27Z38X8RQ78W',0,'scan','tooth.pdf','application/pdf',X'255044462D312E370A3030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030');
CREATE TABLE leads (
  id TEXT NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL,
  locale TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  -- In lower case, to find all leads of a person.
  email TEXT NOT NULL,
  -- What the visitor said, as JSON.
  contents TEXT NOT NULL,
  -- SHA-256 of the submission's key.
  key BLOB UNIQUE,
  fingerprint BLOB NOT NULL
, form TEXT NOT NULL DEFAULT '', is_read INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
INSERT INTO "leads" VALUES('01M8NZSQZ4W8F7PPW8QF2C944Y',1736034322404,'es','unverified','the captcha could not be checked: the connection failed','ana@example.com','{"name":"Ana Ruiz","email":"Ana@example.com","company":"Cosecha","position":"","phone":"+57 2 555 0101","projectType":"SEO Services","message":"Service: SEO Services\n\n\"quoted\" é 漢字","appName":"Ñandú","appType":"app","appDescription":"Two\nlines","visitsConsent":{"version":"0a1b2c3d","choice":"granted","date":"2027-03-01T09:30:00.000Z"},"visit":{"entry":"/blog/","referrer":"search.example","campaign":{"utm_source":"letter"}}}',X'6AB9F1EB8F7D3388F4F9D586F66E99FD54080DF2C446F0E58668B09C08A16DD0',X'1F17EEF8258FC956E50563E1447520B008BD4F12BCD182FB1D46CFA1F09E276B','',0);
INSERT INTO "leads" VALUES('01M8NZSR64N7HNTHDZ7YJ3W0ZG',1736034322628,'en','unverified','the captcha could not be checked: the connection failed','','{"name":"=1+1","email":"","company":"","position":"","phone":"12","projectType":"","message":"","appName":null,"appType":null,"appDescription":null}',NULL,X'3B95FB6B1CAC8B8431955FC26A2F63B12D2F70A57273684910CD82B72F8062C9','',0);
INSERT INTO "leads" VALUES('01M8NZSR6H25Z5XGQQ01X5F36H',1736034322641,'es','quarantined','sent without JavaScript, so without a captcha','eva@example.com','{"name":"Eva","email":"eva@example.com","company":"","position":"CTO","phone":"","projectType":"Support","message":"uno\ndos","appName":null,"appType":null,"appDescription":null}',X'A3D6C621A8E9DD8BE42F4B05D1ADD49F4C4202770C8A6BB69C172F57A41526F3',X'DA4FCA38814DBFE9ABE9C22245C0DDF0CCFFADD828B5175F7630F0F40AD6AC2D','',0);
INSERT INTO "leads" VALUES('01M8NZSRD182A63ZTJMFZP5XM8',1736034322849,'en','spam','the honeypot field was filled in','spam@example.com','{"name":"Spam","email":"spam@example.com","company":"Cosecha","position":"","phone":"+57 2 555 0101","projectType":"SEO Services","message":"Service: SEO Services\n\n\"quoted\" é 漢字","appName":"Ñandú","appType":"app","appDescription":"Two\nlines"}',NULL,X'BB697B89C9D07B231681C5FE6FDEC3A351DA4467CBA8D6DEDB59186BE8E3318E','',0);
INSERT INTO "leads" VALUES('01M8NZSRD5N28C3170V3TT69TK',1736034322853,'en','unverified','the form has no captcha','bo@example.com','{"name":"Bo","email":"bo@example.com","company":"","position":"","phone":"+34 600 11 22 33","projectType":"","message":"","appName":null,"appType":null,"appDescription":null,"form":{"form":"visit","version":"7f","page":"/visit/","answers":{"who":"Bo","email":"bo@example.com","mobile":"+34 600 11 22 33","times":["morning","evening"],"note":"a\nb","guests":3,"first":true},"consents":{"privacy":{"words":"I agree.","hash":"0123456789abcdef"}},"mail_to":"office@site.example","webhook":"crm"}}',X'015F7E6BC5AEAF483724089E9252CC13B50951A6B69412522765CFF4D780306E',X'ECE636BA97FD3E195443E206CE9CAD8D7636C7BA706BF95B3F8E77BA701BFAEE','visit',0);
INSERT INTO "leads" VALUES('01M8NZSRD8DBHMW60H2FPHEQR6',1736034322856,'es','unverified','the form has no captcha','','{"name":"Eva","email":"","company":"","position":"","phone":"600112233","projectType":"","message":"","appName":null,"appType":null,"appDescription":null,"form":{"form":"visit","version":"6e","page":"/es/visit/","answers":{"who":"Eva","mobile":"600112233","first":false},"consents":{"privacy":{"words":null,"hash":"fedcba9876543210"}},"mail_to":"office@site.example","webhook":"crm"}}',X'5304CF20A6A090399C099C81FC03BABE869CE774FD74FF73803C3650C5CF8988',X'4CC9A3371E70D95D46DC6EF2D405161BD85EC5A1B66CF606FFB30D4788220346','visit',0);
INSERT INTO "leads" VALUES('01M8NZSRDC5RTK27Z38X8RQ78W',1736034322860,'en','unverified','the form has no captcha','f@example.com','{"name":"File Sender","email":"f@example.com","company":"","position":"","phone":"","projectType":"","message":"","appName":null,"appType":null,"appDescription":null,"form":{"form":"visit","version":"","page":"","answers":{"who":"File Sender","email":"f@example.com","first":false,"scan":{"name":"tooth.pdf","type":"application/pdf","size":209,"sha256":"7476afd87c498eb559eeddf65445bf32b2a16e708f056f3d6a32ba46a112d34d"}},"consents":{"privacy":{"words":"I agree.","hash":"0123456789abcdef"}},"mail_to":"office@site.example","webhook":"crm"}}',X'EC8C24040C87AAA07D2CA32FA2CBC07F5201DB1149CFC203920962E8E19930D1',X'E0F8C36CC2DE0EE3C23BDE375261F0B66FED0800BF82E727A7452E5F1D5F2AD7','visit',0);
CREATE TABLE tokens (token BLOB NOT NULL PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "tokens" VALUES(X'B496DD8AB854CCE9CB9E03DA8BD7F6312ED10F5BF445B5FDCB4E78BB6D79148B',1736034322404);
INSERT INTO "tokens" VALUES(X'8C745AEFC90952191505398D23A4AFC217CA448318A5FC796DCBE3FF5022B195',1736034322628);
INSERT INTO "tokens" VALUES(X'3918240FFF07503B6E7F810E261A2C14A9F3E007438C01A5B706778A5B3F90B4',1736034322849);
CREATE TABLE waiting (lead TEXT NOT NULL PRIMARY KEY REFERENCES leads (id) ON DELETE CASCADE) WITHOUT ROWID;
CREATE INDEX leads_by_email ON leads (email) WHERE email <> '';
CREATE INDEX tokens_by_time ON tokens (at);
CREATE INDEX deliveries_by_lead ON deliveries (lead);
CREATE INDEX deliveries_open ON deliveries (state, next) WHERE state <> 'done';
CREATE INDEX leads_listed ON leads (status, form, locale, is_read);
COMMIT;
PRAGMA user_version = 4;
