//! Calendar dates from day numbers, for API timestamps and content dates.

/// Converts days since 1970-01-01 to year, month and day in the Gregorian calendar. This is Howard Hinnant's
/// `civil_from_days`: years begin in March, so that the leap day is the last one.
///
/// ```
/// use api_types::calendar::date_of;
/// assert_eq!((date_of(0), date_of(11_016)), ((1970, 1, 1), (2000, 2, 29)));
/// ```
pub fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}
