//! Currencies of ISO 4217: their codes, and how many decimals amounts in them have.

use diagnostics::problem::nearest;

/// Codes of currencies in use, without those of metals, funds and tests.
const CODES: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD \
CDF CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL \
HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD \
MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR \
SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UYW UZS VED \
VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";
/// Currencies without decimals.
const WHOLE: &[&str] = &[
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV",
    "XAF", "XOF", "XPF",
];
/// Currencies with three decimals.
const THREE: &[&str] = &["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];
/// Units of account with four.
const FOUR: &[&str] = &["CLF", "UYW"];

/// How many decimals amounts in a currency have. The error is a message that ends with what to write.
pub(super) fn decimals(code: &str) -> Result<usize, String> {
    if CODES.split(' ').all(|known| known != code) {
        let near = nearest(code, CODES.split(' ')).map_or_else(
            || "write an ISO 4217 code, such as `EUR` or `USD`".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(format!("`{code}` is not a currency code; {near}"));
    }
    let has = |list: &[&str]| list.contains(&code);
    Ok(match () {
        () if has(WHOLE) => 0,
        () if has(THREE) => 3,
        () if has(FOUR) => 4,
        () => 2,
    })
}
