//! The words of the inbox, in English and Spanish.

use axum::extract::Request;
use axum::http::{HeaderMap, Uri, header};
use minijinja::Value;

/// The parameter of an address that chooses a language.
pub(super) const PARAMETER: &str = "lang";
/// The cookie that keeps the choice.
const COOKIE: &str = "sitegen-inbox-language";
/// A year, in seconds.
const COOKIE_AGE: u32 = 31_536_000;

/// A language of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Spanish,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Spanish];

    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Spanish => "es",
        }
    }

    /// The name of the language in itself.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Spanish => "Español",
        }
    }

    fn named(code: &str) -> Option<Language> {
        Language::ALL
            .into_iter()
            .find(|language| language.code() == code)
    }

    /// The language that an address chooses.
    pub fn chosen(uri: &Uri) -> Option<Language> {
        let mut pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        pairs
            .find(|(name, _)| name == PARAMETER)
            .and_then(|(_, code)| Language::named(&code))
    }

    /// The language of a request: that of its address, of an earlier choice, or the first of the browser's that the inbox has.
    pub fn of(request: &Request) -> Language {
        let headers = request.headers();
        Language::chosen(request.uri())
            .or_else(|| kept(headers))
            .or_else(|| accepted(headers))
            .unwrap_or(Language::English)
    }

    /// The cookie that keeps this language.
    pub fn cookie(self) -> String {
        format!(
            "{COOKIE}={}; Path=/; Max-Age={COOKIE_AGE}; HttpOnly; SameSite=Strict",
            self.code()
        )
    }

    /// A word by its name; empty if there is none, which a test rules out for the names in use.
    pub fn say(self, name: &str) -> &'static str {
        let found = WORDS.iter().find(|(known, ..)| *known == name);
        found.map_or("", |(_, english, spanish)| match self {
            Language::English => english,
            Language::Spanish => spanish,
        })
    }

    /// All words, for templates.
    pub fn words(self) -> Value {
        // Collected into a value, pairs would be a list.
        Value::from_pairs(WORDS.iter().map(|(name, ..)| (*name, self.say(name))))
    }

    /// A number of leads in words.
    pub fn leads(self, count: u32) -> String {
        let name = if count == 1 { "lead_one" } else { "lead_many" };
        format!("{} {}", self.number(count), self.say(name))
    }

    /// A number with the separator of thousands of the language.
    fn number(self, count: u32) -> String {
        let digits = count.to_string();
        // In Spanish, a number of four digits has none.
        if digits.len() <= 3 || (self == Language::Spanish && digits.len() == 4) {
            return digits;
        }
        let separator = if self == Language::English {
            ','
        } else {
            '\u{202f}'
        };
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text.push(separator);
            }
            text.push(digit);
        }
        text
    }
}

fn kept(headers: &HeaderMap) -> Option<Language> {
    let cookies = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut pairs = cookies
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs
        .find(|(name, _)| *name == COOKIE)
        .and_then(|(_, code)| Language::named(code))
}

/// The language that the browser likes best. One that the inbox does not have is passed over.
fn accepted(headers: &HeaderMap) -> Option<Language> {
    let text = headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()?;
    let mut best: Option<(f32, Language)> = None;
    for part in text.split(',') {
        let (tag, quality) = part.split_once(";q=").unwrap_or((part, "1"));
        let code = tag
            .trim()
            .split('-')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let quality: f32 = quality.trim().parse().unwrap_or(0.0);
        let Some(language) = Language::named(&code).filter(|_| quality > 0.0) else {
            continue;
        };
        if best.is_none_or(|(best, _)| quality > best) {
            best = Some((quality, language));
        }
    }
    best.map(|(_, language)| language)
}

/// Name, English, Spanish. Names of fields and of states are looked up by what the store calls them.
const WORDS: &[(&str, &str, &str)] = &[
    ("inbox", "Inbox", "Bandeja de entrada"),
    ("skip", "Skip to the content", "Ir al contenido"),
    ("language", "Language", "Idioma"),
    ("read_only", "Read-only", "Solo lectura"),
    ("leads", "Leads", "Solicitudes"),
    ("lead_one", "lead", "solicitud"),
    ("lead_many", "leads", "solicitudes"),
    ("search", "Search", "Buscar"),
    ("filters", "Filters", "Filtros"),
    ("form", "Form", "Formulario"),
    ("lead_form", "Lead form", "Formulario de contacto"),
    ("status", "Status", "Estado"),
    ("page_language", "Page language", "Idioma de la página"),
    ("from", "From", "Desde"),
    ("to", "To", "Hasta"),
    ("any", "All", "Todos"),
    ("unread_only", "Unread only", "Solo no leídas"),
    ("apply", "Apply", "Aplicar"),
    ("reset", "Clear filters", "Quitar filtros"),
    ("export", "Export this list", "Exportar esta lista"),
    (
        "none_found",
        "No leads match these filters.",
        "Ninguna solicitud coincide con estos filtros.",
    ),
    ("none_yet", "No leads yet.", "Todavía no hay solicitudes."),
    ("unread", "Unread", "No leída"),
    ("select", "Select", "Seleccionar"),
    ("mark_read", "Mark as read", "Marcar como leída"),
    ("mark_unread", "Mark as unread", "Marcar como no leída"),
    (
        "with_selected",
        "Selected leads",
        "Solicitudes seleccionadas",
    ),
    ("older", "Older leads", "Solicitudes anteriores"),
    ("newest", "Newest leads", "Solicitudes más recientes"),
    ("pages", "Pages", "Páginas"),
    ("back", "Back to the list", "Volver a la lista"),
    ("without_name", "(no name)", "(sin nombre)"),
    ("answers", "Answers", "Respuestas"),
    ("consents", "Consent", "Consentimiento"),
    (
        "words_changed",
        "The consent text had changed by the time this arrived. Hash of the text the visitor saw:",
        "El texto había cambiado antes de recibir la respuesta; su hash:",
    ),
    ("visit", "Where it came from", "Procedencia"),
    ("deliveries", "Deliveries", "Envíos"),
    (
        "no_deliveries",
        "Nothing has been sent.",
        "No se ha enviado nada.",
    ),
    ("files", "Files", "Archivos"),
    ("download", "Download", "Descargar"),
    ("actions", "Actions", "Acciones"),
    ("release", "Release", "Liberar"),
    (
        "release_text",
        "This lead is on hold. Release it to forward it like any other.",
        "Está retenida. Al liberarla, se reenvía como cualquier otra.",
    ),
    ("retry", "Retry deliveries", "Reintentar envíos"),
    (
        "forget",
        "Delete this person’s leads…",
        "Borrar las solicitudes de esta persona…",
    ),
    (
        "forget_title",
        "Delete a person’s leads",
        "Borrar las solicitudes de una persona",
    ),
    (
        "forget_text",
        "Every lead with this email address or phone number will be permanently deleted, along with its files:",
        "Se borran definitivamente todas las solicitudes con este correo o teléfono, con sus archivos:",
    ),
    (
        "forget_one",
        "This lead will be permanently deleted, along with its files:",
        "Se borra definitivamente esta solicitud, con sus archivos:",
    ),
    (
        "forget_copies",
        "Copies already forwarded or exported are not deleted.",
        "Lo que ya se reenvió o copió no se borra.",
    ),
    (
        "forget_confirm",
        "Delete permanently",
        "Borrar definitivamente",
    ),
    ("cancel", "Cancel", "Cancelar"),
    ("channel", "Channel", "Canal"),
    ("state", "State", "Estado"),
    ("attempts", "Attempts", "Intentos"),
    ("next", "Next attempt", "Próximo intento"),
    ("trouble", "Last error", "Último error"),
    // States of deliveries.
    ("due", "Waiting", "Pendiente"),
    ("done", "Delivered", "Entregado"),
    ("dead", "Failed", "Abandonado"),
    // Channels.
    ("webhook", "Webhook", "Webhook"),
    ("mail", "Email", "Correo"),
    ("answer", "Email to the visitor", "Correo al visitante"),
    ("confirm", "Confirmation email", "Correo de confirmación"),
    // States of leads.
    ("verified", "Verified", "Verificada"),
    ("unverified", "Unverified", "Sin verificar"),
    ("quarantined", "Quarantined", "En cuarentena"),
    ("spam", "Spam", "Spam"),
    ("released", "Released", "Liberada"),
    ("unconfirmed", "Unconfirmed", "Sin confirmar"),
    ("confirmed", "Confirmed", "Confirmada"),
    // The facts about a lead.
    ("id", "Id", "Id"),
    ("received", "Received", "Recibida"),
    ("reason", "Reason", "Motivo"),
    ("name", "Name", "Nombre"),
    ("email", "Email", "Correo electrónico"),
    ("phone", "Phone", "Teléfono"),
    ("company", "Company", "Empresa"),
    ("position", "Position", "Cargo"),
    ("projectType", "Service", "Servicio"),
    ("appName", "App", "Aplicación"),
    ("appType", "App type", "Tipo de aplicación"),
    (
        "appDescription",
        "App description",
        "Descripción de la aplicación",
    ),
    ("message", "Message", "Mensaje"),
    ("version", "Form version", "Versión del formulario"),
    ("page", "Page", "Página"),
    ("mail_to", "Notifies", "Correo enviado a"),
    ("first_page", "First page", "Primera página"),
    ("referrer", "Referrer", "Página de origen"),
    ("build", "Build", "Compilación"),
    ("visits_consent", "Analytics consent", "Recuento de visitas"),
    // The messages about actions.
    ("notice_read", "Marked as read.", "Marcada como leída."),
    (
        "notice_unread",
        "Marked as unread.",
        "Marcada como no leída.",
    ),
    (
        "notice_released",
        "Released. It is being forwarded.",
        "Liberada. Ahora se reenvía.",
    ),
    (
        "notice_released_at_start",
        "Released. It will be forwarded the next time the API starts.",
        "Liberada. Se reenvía cuando la API se inicie la próxima vez.",
    ),
    (
        "notice_released_only",
        "Released, but not forwarded: the API has neither a webhook nor an email address.",
        "Liberada. No se reenvía: la API no tiene webhook ni dirección de correo.",
    ),
    (
        "notice_not_held",
        "This lead is not on hold.",
        "Esta solicitud no está retenida.",
    ),
    (
        "notice_retried",
        "The deliveries will be retried.",
        "Se reintentarán los envíos.",
    ),
    (
        "notice_nothing_to_retry",
        "There is no delivery to retry.",
        "No hay envíos que reintentar.",
    ),
    (
        "notice_forgotten",
        "This person’s leads have been deleted.",
        "Se han borrado las solicitudes de esta persona.",
    ),
    (
        "notice_text_remains",
        "The leads have been deleted, but the store’s files still contain their text because another program is reading them. When that program has finished, run `sitegen leads forget`.",
        "Las solicitudes están borradas, pero los archivos del almacén aún contienen su texto, porque otro programa los \
      está leyendo. Repite con `sitegen leads forget` cuando termine.",
    ),
    // Answers to what cannot be done.
    (
        "missing",
        "There is nothing at this URL.",
        "No hay nada en esta dirección.",
    ),
    (
        "lead_missing",
        "This lead doesn’t exist. It may have been deleted.",
        "No existe esta solicitud. Puede que se haya borrado.",
    ),
    (
        "changes_off",
        "This inbox is read-only. Start it with `--allow-changes` to change leads.",
        "Esta bandeja es de solo lectura. Iníciala con `--allow-changes` para modificar solicitudes.",
    ),
    (
        "foreign",
        "This request did not come from the inbox. Nothing was changed.",
        "Esta petición no procede de una página de la bandeja. No se ha modificado nada.",
    ),
    (
        "expired",
        "This page was opened before the inbox was restarted. Reload it; nothing was changed.",
        "Esta página se abrió antes de reiniciar la bandeja. Cárgala de nuevo; no se ha modificado nada.",
    ),
    (
        "unnamed",
        "The proxy didn’t say who you are.",
        "El proxy delante de la bandeja no ha indicado quién pregunta.",
    ),
    (
        "store_failed",
        "The leads cannot be read or written:",
        "No se pueden leer o escribir las solicitudes:",
    ),
    (
        "wrong_day",
        "Enter dates as 2027-01-31.",
        "Un día se escribe como 2027-01-31.",
    ),
];

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn asked(uri: &str, header: &str, value: &str) -> Language {
        Language::of(
            &Request::get(uri)
                .header(header, value)
                .body(Body::empty())
                .expect("a request"),
        )
    }

    #[test]
    fn a_choice_comes_before_the_browser() {
        assert_eq!(
            asked("/", "accept-language", "fr, es-MX;q=0.8, en;q=0.7"),
            Language::Spanish
        );
        assert_eq!(
            asked("/", "accept-language", "en;q=0, fr"),
            Language::English
        );
        assert_eq!(
            asked("/?lang=en&q=a", "accept-language", "es"),
            Language::English
        );
        assert_eq!(
            asked("/", "cookie", "a=b; sitegen-inbox-language=es"),
            Language::Spanish
        );
        assert_eq!(asked("/?lang=xx", "x", "y"), Language::English);
    }

    #[test]
    fn each_word_is_there_once_and_in_both_languages() {
        for (at, (name, english, spanish)) in WORDS.iter().enumerate() {
            assert!(!english.is_empty() && !spanish.is_empty(), "{name}");
            assert!(
                WORDS[at + 1..].iter().all(|(other, ..)| other != name),
                "`{name}` is there twice"
            );
        }
    }

    #[test]
    fn numbers_have_the_separators_of_their_language() {
        assert_eq!(Language::English.leads(1), "1 lead");
        assert_eq!(Language::English.leads(1_234_567), "1,234,567 leads");
        assert_eq!(Language::Spanish.leads(1_234), "1234 solicitudes");
        assert_eq!(
            Language::Spanish.leads(100_000),
            "100\u{202f}000 solicitudes"
        );
    }
}
