//! Leads in a DynamoDB table, for an API that runs on many machines at once.
//!
//! One table with the key `pk`: `lead#ID`, `key#HASH`, `token#HASH`, `delivery#ID`, `waiting#ID` for a lead that was
//! released before an API had named its channels, `upload#ID` for a file that belongs to a lead, `moving#ID` for a lead whose
//! files are not in their place yet, `fact#NAME`, `rate#HASH#MINUTE` and `mails#HASH#DAY`. A lead, its key, its token, its uploads
//! and its deliveries are written in one transaction with the count of emails to the visitor, on the condition that none of
//! them exists and the visitor has some left. The
//! indexes `by-kind` (leads in order) and `by-state` (open deliveries) are eventually consistent, so operations that
//! must be exact do not use them: deleting a person's leads scans the table. Tokens and rate counters expire by TTL
//! (`expires`).

mod client;
mod deliveries;
mod earlier;
mod items;
mod lead_files;
mod listing;

use std::future::ready;
use std::path::PathBuf;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use crate::clock::{self, DAY, Millis};
use bucket::Bucket;

use super::email;
use super::erase::Erase;
use super::expiry::{Erasure, Expired, Expiry, FEW, KnownTime};
use super::file_bucket::FileBucket;
use super::lead::{Channel, Delivery, Hash, Lead, Status, first_id, hash, new_key};
use super::lead_files::{StoredFile, UploadedFile};
use super::listing::{Facets, Filter, Listing};
use super::queue::Queue;
use super::store::{
    Backlog, DeliveryOutcome, Forwarding, InsertOutcome, MAILS_PER_DAY, NewLead, Store, StoreError,
    StoreFuture,
};
use client::{CallError, Client};
use items::{
    delivery_item, integer, lead_item, number, read_delivery, read_lead, string, text, waiting_item,
};
pub(super) use lead_files::FILES_MAX;
use lead_files::LeadFile;

/// The indexes of the table, defined in `deploy/aws.yaml`.
const BY_KIND: &str = "by-kind";
const BY_STATE: &str = "by-state";
/// The names of facts: the API's channels, and the times of [`KnownTime`].
const CHANNELS: &str = "channels";
const SURE: &str = "time";
const DOUBTFUL: &str = "time_after_jump";
/// The name of the fact with the key that signs links to leads.
const LINK_KEY: &str = "link_key";

/// The store.
#[derive(Debug)]
pub struct DynamoDb {
    client: Client,
    table: String,
    /// Where the files of leads are; `None` if the operator has named no bucket.
    bucket: Option<FileBucket>,
}

type StoreResult<T> = Result<T, StoreError>;

impl DynamoDb {
    /// A store in this table, with the files of leads in a bucket.
    pub fn new(
        table: &str,
        files: Option<Bucket>,
        client: reqwest::Client,
    ) -> Result<DynamoDb, String> {
        let bucket = files.map(|bucket| FileBucket::new(bucket, client.clone()));
        Ok(DynamoDb {
            client: Client::new(client)?,
            table: table.to_owned(),
            bucket,
        })
    }

    /// Calls an operation on the table.
    async fn call(&self, operation: &str, mut body: Value) -> Result<Value, CallError> {
        body["TableName"] = self.table.as_str().into();
        self.client.call(operation, &body).await
    }

    async fn ask(&self, operation: &str, body: Value) -> StoreResult<Value> {
        self.call(operation, body).await.map_err(error)
    }

    async fn get(&self, pk: String) -> StoreResult<Option<Value>> {
        let answer = self
            .ask(
                "GetItem",
                json!({"Key": {"pk": text(&pk)}, "ConsistentRead": true}),
            )
            .await?;
        Ok(answer.get("Item").cloned())
    }

    async fn delete(&self, pk: String) -> StoreResult<()> {
        self.ask("DeleteItem", json!({"Key": {"pk": text(&pk)}}))
            .await
            .map(drop)
    }

    /// Runs a query and follows its pages, up to `count` items.
    async fn query(&self, body: Value, count: usize) -> StoreResult<Vec<Value>> {
        self.pages("Query", body, count).await
    }

    /// Runs a paginated operation, up to `count` items.
    async fn pages(
        &self,
        operation: &str,
        mut body: Value,
        count: usize,
    ) -> StoreResult<Vec<Value>> {
        let mut found = Vec::new();
        loop {
            let mut answer = self.ask(operation, body.clone()).await?;
            if let Value::Array(items) = answer["Items"].take() {
                found.extend(items);
            }
            let next = answer["LastEvaluatedKey"].take();
            if found.len() >= count || next.is_null() {
                found.truncate(count);
                return Ok(found);
            }
            body["ExclusiveStartKey"] = next;
        }
    }

    async fn put_lead(&self, mut new: NewLead) -> StoreResult<InsertOutcome> {
        let sent = std::mem::take(&mut new.files);
        let came_along: Vec<bool> = sent.iter().map(|file| file.bytes().is_some()).collect();
        let files = self.received(sent).await?;
        let outcome = self.put_limited(&mut new, &files).await?;
        if outcome == InsertOutcome::New {
            // The lead is stored whatever becomes of this; `settle` does what fails.
            let _ = self.keep_files(&new.lead.id, &files).await;
        } else {
            for (file, _) in files
                .iter()
                .zip(came_along)
                .filter(|(_, came_along)| *came_along)
            {
                self.discard(file).await;
            }
        }
        Ok(outcome)
    }

    /// Writes a lead, without the channels to a visitor who has had the emails of the day. The transaction counts
    /// them, so that a lead which is not stored uses up none; the index knows those of the day before.
    async fn put_limited(
        &self,
        new: &mut NewLead,
        files: &[LeadFile],
    ) -> StoreResult<InsertOutcome> {
        if new.channels.iter().any(|channel| channel.is_to_visitor()) {
            let (at, address) = (new.lead.at, new.lead.contents.email.clone());
            if self.count_of_address(address, at - DAY).await? < MAILS_PER_DAY
                && let Some(outcome) = self
                    .put_all(new, files, &[self.one_more_mail(&new.lead)])
                    .await?
            {
                return Ok(outcome);
            }
            if new.waits_for_nothing(&[]) {
                return Ok(InsertOutcome::NoMailLeft);
            }
            new.channels.retain(|channel| !channel.is_to_visitor());
        }
        // Without a count, nothing refuses it but what it has in common with another lead.
        let outcome = self.put_all(new, files, &[]).await?;
        outcome.ok_or_else(|| {
            StoreError::Unavailable("DynamoDB canceled a transaction unexpectedly".into())
        })
    }

    /// Counts an email to the visitor who sent a lead, on the condition that they have not had those of the day.
    fn one_more_mail(&self, lead: &Lead) -> Value {
        let day = lead.at.div_euclid(DAY);
        let address = HEXLOWER.encode(&hash(email::comparable(&lead.contents.email).as_bytes()));
        json!({"Update": {
            "TableName": self.table,
            "Key": {"pk": text(&format!("mails#{address}#{day}"))},
            "UpdateExpression": "SET expires = :expires ADD tries :one",
            "ConditionExpression": "attribute_not_exists(tries) OR tries < :most",
            "ExpressionAttributeValues": {
                ":expires": number((day + 2) * DAY / 1000),
                ":one": number(1),
                ":most": number(MAILS_PER_DAY.into()),
            },
        }})
    }

    /// Adds to a counter that expires, and returns its sum.
    async fn add(&self, pk: &str, by: i32, expires: i64) -> StoreResult<u32> {
        let body = json!({
            "Key": {"pk": text(pk)},
            "UpdateExpression": "SET expires = :expires ADD tries :by",
            "ExpressionAttributeValues": {":expires": number(expires), ":by": number(by.into())},
            "ReturnValues": "UPDATED_NEW",
        });
        let answer = self.ask("UpdateItem", body).await?;
        Ok(u32::try_from(integer(&answer["Attributes"], "tries")).unwrap_or(u32::MAX))
    }

    /// Writes a lead with all that belongs to it, and counts. `None` if nothing but a count refuses it.
    async fn put_all(
        &self,
        new: &NewLead,
        files: &[LeadFile],
        counts: &[Value],
    ) -> StoreResult<Option<InsertOutcome>> {
        let NewLead {
            lead,
            key,
            fingerprint,
            token,
            channels,
            ..
        } = new;
        let key_pk = key
            .as_ref()
            .map(|key| format!("key#{}", HEXLOWER.encode(key)));
        let mut items = vec![self.once(&lead_files::with_files(
            lead_item(lead, key_pk.as_deref(), fingerprint),
            files,
        ))];
        if let Some(pk) = &key_pk {
            items.push(self.once(
                &json!({"pk": text(pk), "fingerprint": text(&HEXLOWER.encode(fingerprint))}),
            ));
        }
        if let Some(token) = token {
            let expires = number((lead.at + 2 * DAY) / 1000);
            items.push(
                self.once(&json!({"pk": text(&format!("token#{}", HEXLOWER.encode(token))), "expires": expires})),
            );
        }
        let of_files = items.len()..items.len() + files.len();
        items.extend(
            files
                .iter()
                .map(|file| self.once(&lead_files::upload_item(lead, file))),
        );
        items.extend(
            (!files.is_empty()).then(|| self.once(&lead_files::moving_item(&lead.id, lead.at))),
        );
        items.extend(
            channels
                .iter()
                .map(|channel| self.once(&delivery_item(&lead.id, *channel, lead.at))),
        );
        let of_counts = items.len()..items.len() + counts.len();
        items.extend_from_slice(counts);
        // Another transaction of the same lead has another token.
        let token_of_call = format!("{}-{}", lead.id, counts.len());
        let transaction = json!({"TransactItems": items, "ClientRequestToken": token_of_call});
        let reasons = match self.client.call("TransactWriteItems", &transaction).await {
            Ok(_) => return Ok(Some(InsertOutcome::New)),
            Err(CallError::Condition(reasons)) => reasons,
            Err(CallError::Other(error)) => return Err(error),
        };
        if let Some(key) = key
            && let Some(known) = self.fingerprint_of(*key).await?
        {
            let is_same = known == *fingerprint;
            return Ok(Some(if is_same {
                InsertOutcome::Duplicate
            } else {
                InsertOutcome::OtherLead
            }));
        }
        let failed = |at: usize| {
            reasons
                .get(at)
                .is_some_and(|code| code == "ConditionalCheckFailed")
        };
        if token.is_some() && failed(1 + usize::from(key.is_some())) {
            return Ok(Some(InsertOutcome::TokenUsed));
        }
        if of_files.into_iter().any(failed) {
            return Ok(Some(InsertOutcome::FileUsed));
        }
        if of_counts.into_iter().any(failed) {
            return Ok(None);
        }
        Err(StoreError::Unavailable(format!(
            "DynamoDB canceled the transaction: {}",
            reasons.join(" ")
        )))
    }

    /// A put that fails if the item exists.
    fn once(&self, item: &Value) -> Value {
        json!({"Put": {"TableName": self.table, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}})
    }

    async fn fingerprint_of(&self, key: Hash) -> StoreResult<Option<Hash>> {
        let item = self.get(format!("key#{}", HEXLOWER.encode(&key))).await?;
        Ok(item.and_then(|item| {
            HEXLOWER
                .decode(string(&item, "fingerprint").as_bytes())
                .ok()?
                .try_into()
                .ok()
        }))
    }

    async fn find(&self, id: &str) -> StoreResult<Option<Lead>> {
        self.get(format!("lead#{id}"))
            .await?
            .map(|item| read_lead(&item))
            .transpose()
    }

    /// A value that the store remembers besides leads.
    async fn fact(&self, name: &str) -> StoreResult<Option<String>> {
        Ok(self
            .get(format!("fact#{name}"))
            .await?
            .map(|item| string(&item, "value").to_owned()))
    }

    async fn set_fact(&self, name: &str, value: Option<&str>) -> StoreResult<()> {
        let Some(value) = value else {
            return self.delete(format!("fact#{name}")).await;
        };
        let body = json!({
            "Key": {"pk": text(&format!("fact#{name}"))},
            "UpdateExpression": "SET #value = :value",
            "ExpressionAttributeNames": {"#value": "value"},
            "ExpressionAttributeValues": {":value": text(value)},
        });
        self.ask("UpdateItem", body).await.map(drop)
    }

    /// The channels of the API that was started last. `None` before the first start.
    async fn channels(&self) -> StoreResult<Option<Vec<Channel>>> {
        let names = self.fact(CHANNELS).await?;
        Ok(names.map(|names| {
            names
                .split_whitespace()
                .filter_map(Channel::named)
                .collect()
        }))
    }

    async fn start_with(&self, channels: Vec<Channel>, now: Millis) -> StoreResult<()> {
        if self.channels().await?.as_ref() != Some(&channels) {
            self.set_fact(CHANNELS, Some(&Channel::names(&channels)))
                .await?;
        }
        for item in self.open("waiting", None, usize::MAX).await? {
            // The index holds keys only.
            self.queue_all(
                string(&item, "pk").trim_start_matches("waiting#"),
                &channels,
                now,
            )
            .await?;
            self.delete(string(&item, "pk").to_owned()).await?;
        }
        self.rewrite_earlier().await
    }

    /// Queues the deliveries of a stored lead by the channels of the API. Returns the number of those that are new.
    async fn queue_all(&self, id: &str, of_api: &[Channel], now: Millis) -> StoreResult<u32> {
        let lead = self.find(id).await?;
        self.queue(
            id,
            &lead.map(|lead| lead.channels(of_api)).unwrap_or_default(),
            now,
        )
        .await
    }

    /// Queues a delivery per channel, unless the lead has it. Returns their number.
    async fn queue(&self, lead: &str, channels: &[Channel], now: Millis) -> StoreResult<u32> {
        let mut count = 0;
        for channel in channels {
            let items = [self.once(&delivery_item(lead, *channel, now))];
            match self
                .client
                .call("TransactWriteItems", &json!({"TransactItems": items}))
                .await
            {
                Ok(_) => count += 1,
                Err(CallError::Condition(_)) => {}
                Err(CallError::Other(error)) => return Err(error),
            }
        }
        Ok(count)
    }

    /// Releases a held lead, or asks its visitor to confirm it.
    async fn release_lead(&self, id: String, now: Millis) -> StoreResult<Option<Forwarding>> {
        let Some(lead) = self.find(&id).await? else {
            return Ok(None);
        };
        let needs_confirmation = lead.contents.needs_confirmation;
        let to = if needs_confirmation {
            Status::Unconfirmed
        } else {
            Status::Released
        };
        self.change_status(lead, &[Status::Quarantined, Status::Spam], to, now)
            .await
    }

    async fn confirm_lead(&self, id: String, now: Millis) -> StoreResult<()> {
        let Some(lead) = self.find(&id).await? else {
            return Ok(());
        };
        self.change_status(lead, &[Status::Unconfirmed], Status::Confirmed, now)
            .await
            .map(drop)
    }

    /// Gives a lead another status and queues its deliveries, in one transaction. `None` if its status is none of `from`.
    async fn change_status(
        &self,
        mut lead: Lead,
        from: &[Status],
        to: Status,
        now: Millis,
    ) -> StoreResult<Option<Forwarding>> {
        let id = lead.id.clone();
        lead.status = to;
        let names: Vec<String> = (0..from.len()).map(|at| format!(":from{at}")).collect();
        let mut values = json!({":to": text(to.name())});
        for (name, status) in names.iter().zip(from) {
            values[name] = text(status.name());
        }
        let update = json!({
            "TableName": self.table,
            "Key": {"pk": text(&format!("lead#{id}"))},
            "UpdateExpression": "SET #status = :to",
            "ConditionExpression": format!("#status IN ({})", names.join(", ")),
            "ExpressionAttributeNames": {"#status": "status"},
            "ExpressionAttributeValues": values,
        });
        let (news, forwarding) = match self.channels().await? {
            Some(of_api) => {
                let channels = lead.channels(&of_api);
                let news = channels
                    .iter()
                    .map(|channel| self.once(&delivery_item(&id, *channel, now)))
                    .collect();
                (news, Forwarding::Queued(channels))
            }
            None => (
                vec![self.once(&waiting_item(&id, now))],
                Forwarding::AtStart,
            ),
        };
        let items: Vec<Value> = [json!({"Update": update})]
            .into_iter()
            .chain(news)
            .collect();
        match self
            .client
            .call("TransactWriteItems", &json!({"TransactItems": items}))
            .await
        {
            Ok(_) => Ok(Some(forwarding)),
            Err(CallError::Condition(_)) => Ok(None),
            Err(CallError::Other(error)) => Err(error),
        }
    }

    async fn key_of_links(&self) -> StoreResult<String> {
        if let Some(key) = self.fact(LINK_KEY).await? {
            return Ok(key);
        }
        let item = json!({"pk": text(&format!("fact#{LINK_KEY}")), "value": text(&new_key())});
        match self
            .client
            .call(
                "TransactWriteItems",
                &json!({"TransactItems": [self.once(&item)]}),
            )
            .await
        {
            // Another machine may have been first.
            Ok(_) | Err(CallError::Condition(_)) => {}
            Err(CallError::Other(error)) => return Err(error),
        }
        let gone =
            || StoreError::Unavailable("the key that signs links could not be stored".into());
        self.fact(LINK_KEY).await?.ok_or_else(gone)
    }

    async fn expire_leads(&self, expiry: Expiry) -> StoreResult<Expired> {
        let of_kind = |condition: &str| {
            json!({
                "IndexName": BY_KIND,
                "KeyConditionExpression": format!("kind = :kind{condition}"),
                "ExpressionAttributeValues": {":kind": text("lead")},
            })
        };
        let mut items = Vec::new();
        if let Some(before) = expiry.latest() {
            let mut old = of_kind(" AND id < :before");
            old["ExpressionAttributeValues"][":before"] = text(&first_id(before));
            for item in self.query(old, usize::MAX).await? {
                // A lead that cannot be read expires with those of the site.
                let at = integer(&item, "at");
                let is_old = read_lead(&item).map_or_else(
                    |_| expiry.leads.is_some_and(|before| at < before),
                    |lead| expiry.has_expired(&lead),
                );
                items.extend(is_old.then_some(item));
            }
        }
        let leads = u32::try_from(items.len()).unwrap_or(u32::MAX);
        // All leads are counted only if so many expire that it matters.
        let of = if leads > FEW {
            self.query(of_kind(""), usize::MAX).await?.len()
        } else {
            items.len()
        };
        let time =
            async |name| StoreResult::Ok(self.fact(name).await?.and_then(|text| text.parse().ok()));
        let mut known = KnownTime {
            sure: time(SURE).await?,
            doubtful: time(DOUBTFUL).await?,
        };
        if known.sure.is_none() {
            let mut newest = of_kind("");
            newest["ScanIndexForward"] = false.into();
            newest["Limit"] = 1.into();
            known.sure = self
                .query(newest, 1)
                .await?
                .first()
                .map(|item| integer(item, "at"));
        }
        let (now_known, why) = known.judge(&expiry, leads, u32::try_from(of).unwrap_or(u32::MAX));
        for (name, before, now) in [
            (SURE, known.sure, now_known.sure),
            (DOUBTFUL, known.doubtful, now_known.doubtful),
        ] {
            if before != now {
                self.set_fact(name, now.map(|at| at.to_string()).as_deref())
                    .await?;
            }
        }
        match why {
            Some(why) => Ok(Expired::Held { leads, why }),
            None => Ok(Expired::Deleted(Erasure {
                leads: self.delete_leads(items).await?,
                remains: None,
            })),
        }
    }

    /// Deletes leads with their deliveries and keys. The lead is deleted last, so that an interrupted deletion can be
    /// repeated.
    async fn delete_leads(&self, items: Vec<Value>) -> StoreResult<u32> {
        let mut count = 0;
        for item in items {
            let pk = string(&item, "pk").to_owned();
            let Some(lead) = self.get(pk.clone()).await? else {
                continue;
            };
            self.delete_files(&lead).await?;
            for channel in Channel::ALL {
                self.delete(format!(
                    "delivery#{}",
                    Delivery::id(string(&lead, "id"), channel)
                ))
                .await?;
            }
            self.delete(format!("waiting#{}", string(&lead, "id")))
                .await?;
            if lead.get("key").is_some() {
                self.delete(string(&lead, "key").to_owned()).await?;
            }
            self.delete(pk).await?;
            count += 1;
        }
        Ok(count)
    }

    async fn count_of_address(&self, email: String, since: Millis) -> StoreResult<u32> {
        let body = json!({
            "IndexName": BY_KIND,
            "KeyConditionExpression": "kind = :kind AND id >= :since",
            // Earlier versions stored addresses in lower case.
            "FilterExpression": "email IN (:email, :lower)",
            "ExpressionAttributeValues": {
                ":kind": text("lead"), ":since": text(&first_id(since)),
                ":email": text(&email::comparable(&email)), ":lower": text(&email.to_lowercase()),
            },
        });
        Ok(u32::try_from(self.query(body, usize::MAX).await?.len()).unwrap_or(u32::MAX))
    }

    async fn delete_wanted(&self, which: Erase) -> StoreResult<Erasure> {
        // A consistent scan instead of an index: an index may lack a lead that was just stored, which would then never
        // be deleted. The scan costs more, but requests for deletion are rare.
        let body = json!({
            "ConsistentRead": true,
            "FilterExpression": "attribute_exists(contents)",
            "ProjectionExpression": "pk, id, contents",
        });
        let mut items = self.pages("Scan", body, usize::MAX).await?;
        items.retain(|item| {
            let contents = earlier::read_contents(string(item, "contents")).unwrap_or_default();
            which.has(string(item, "id"), &contents)
        });
        Ok(Erasure {
            leads: self.delete_leads(items).await?,
            remains: None,
        })
    }
}

impl Store for DynamoDb {
    fn insert(&self, new: NewLead) -> StoreFuture<'_, InsertOutcome> {
        Box::pin(self.put_lead(new))
    }

    fn fingerprint(&self, key: Hash) -> StoreFuture<'_, Option<Hash>> {
        Box::pin(self.fingerprint_of(key))
    }

    fn lead(&self, id: String) -> StoreFuture<'_, Option<Lead>> {
        Box::pin(async move { self.find(&id).await })
    }

    fn listed(
        &self,
        filter: Filter,
        before: Option<String>,
        count: u32,
    ) -> StoreFuture<'_, Listing> {
        Box::pin(self.list(filter, before, count as usize))
    }

    fn facets(&self) -> StoreFuture<'_, Facets> {
        Box::pin(self.newest_values())
    }

    fn is_read(&self, id: String) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let item = self.get(format!("lead#{id}")).await?;
            Ok(item.is_some_and(|item| listing::is_read(&item)))
        })
    }

    fn mark(&self, ids: Vec<String>, is_read: bool) -> StoreFuture<'_, u32> {
        Box::pin(self.mark_all(ids, is_read))
    }

    fn files(&self, lead: String) -> StoreFuture<'_, Vec<StoredFile>> {
        Box::pin(self.read_files(lead))
    }

    fn bucket(&self) -> Option<&FileBucket> {
        self.bucket.as_ref()
    }

    fn uploaded(&self, upload: String) -> StoreFuture<'_, Option<UploadedFile>> {
        Box::pin(self.claimed_upload(upload))
    }

    fn settle(&self) -> StoreFuture<'_, ()> {
        Box::pin(self.settle_files())
    }

    fn deliveries(&self, lead: String) -> StoreFuture<'_, Vec<Delivery>> {
        Box::pin(async move {
            let mut found = Vec::new();
            for channel in Channel::ALL {
                let item = self
                    .get(format!("delivery#{}", Delivery::id(&lead, channel)))
                    .await?;
                found.extend(item.map(|item| read_delivery(&item)).transpose()?);
            }
            Ok(found)
        })
    }

    fn start(&self, channels: Vec<Channel>, now: Millis) -> StoreFuture<'_, ()> {
        Box::pin(self.start_with(channels, now))
    }

    fn release(&self, id: String, now: Millis) -> StoreFuture<'_, Option<Forwarding>> {
        Box::pin(self.release_lead(id, now))
    }

    fn confirm(&self, id: String, now: Millis) -> StoreFuture<'_, ()> {
        Box::pin(self.confirm_lead(id, now))
    }

    fn link_key(&self) -> StoreFuture<'_, String> {
        Box::pin(self.key_of_links())
    }

    fn erase(&self, which: Erase) -> StoreFuture<'_, Erasure> {
        Box::pin(self.delete_wanted(which))
    }

    fn expire(&self, expiry: Expiry) -> StoreFuture<'_, Expired> {
        Box::pin(self.expire_leads(expiry))
    }

    fn claim(
        &self,
        now: Millis,
        until: Millis,
        count: u32,
        queue: Queue,
    ) -> StoreFuture<'_, Vec<(Delivery, Lead)>> {
        Box::pin(self.claim_due(now, until, count as usize, queue))
    }

    fn complete(&self, id: String, outcome: DeliveryOutcome) -> StoreFuture<'_, ()> {
        Box::pin(self.complete_delivery(id, outcome))
    }

    fn retry(&self, lead: Option<String>, now: Millis) -> StoreFuture<'_, u32> {
        Box::pin(self.retry_all(lead, now))
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        Box::pin(async move {
            let count = async |state| -> StoreResult<u32> {
                let open = self.open(state, None, usize::MAX).await?;
                Ok(u32::try_from(open.len()).unwrap_or(u32::MAX))
            };
            Ok(Backlog {
                due: count("due").await?,
                dead: count("dead").await?,
            })
        })
    }

    fn copy_to(&self, _: PathBuf) -> StoreFuture<'_, ()> {
        let why = "a DynamoDB table can't be copied to a file; turn on its point-in-time recovery, or run \
                   `aws dynamodb create-backup --table-name TABLE --backup-name NAME`";
        Box::pin(ready(Err(StoreError::Unavailable(why.into()))))
    }

    fn check(&self) -> StoreFuture<'_, ()> {
        let item = json!({"pk": text("health"), "expires": number(clock::now() / 1000 + 3_600)});
        let put = json!({"Put": {"TableName": self.table, "Item": item}});
        Box::pin(async move {
            let written = self
                .client
                .call("TransactWriteItems", &json!({"TransactItems": [put]}))
                .await;
            written.map(drop).map_err(error)
        })
    }

    fn count(&self, who: Hash, minute: i64, by: i32) -> StoreFuture<'_, Option<u32>> {
        let pk = format!("rate#{}#{minute}", HEXLOWER.encode(&who));
        Box::pin(async move { Ok(Some(self.add(&pk, by, minute * 60 + 3_600).await?)) })
    }
}

fn error(refused: CallError) -> StoreError {
    match refused {
        CallError::Other(error) => error,
        CallError::Condition(reasons) => StoreError::Unavailable(format!(
            "a DynamoDB condition failed: {}",
            reasons.join(" ")
        )),
    }
}
