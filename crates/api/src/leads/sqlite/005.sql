-- Leads of the lead form are answers, as those of other forms are. What was empty is left out; `json_patch` drops each `null`.
-- A text that is no JSON stays as it is: it cannot be read before or after.
UPDATE leads SET contents = json_patch(
  CASE
    WHEN contents ->> '$.form' IS NOT NULL THEN contents -> '$.form'
    ELSE json_object('answers', json_patch('{}', json_object(
      'name', nullif(contents ->> '$.name', ''),
      'email', nullif(contents ->> '$.email', ''),
      'phone', nullif(contents ->> '$.phone', ''),
      'company', nullif(contents ->> '$.company', ''),
      'position', nullif(contents ->> '$.position', ''),
      'projectType', nullif(contents ->> '$.projectType', ''),
      'appName', nullif(contents ->> '$.appName', ''),
      'appType', nullif(contents ->> '$.appType', ''),
      'appDescription', nullif(contents ->> '$.appDescription', ''),
      'message', nullif(contents ->> '$.message', '')
    )))
  END,
  json_object(
    'name', contents ->> '$.name',
    'email', contents ->> '$.email',
    'phone', contents ->> '$.phone',
    'visitsConsent', contents -> '$.visitsConsent',
    'visit', contents -> '$.visit'
  )
) WHERE json_valid(contents);
