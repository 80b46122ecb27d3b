-- Texts that people enter: characters without a shape, runs of combining marks, names, emoji and time zones. Decision 72 gives
-- the reasons.
--
-- PostgreSQL sorts a run of marks quadratically when it normalises a text, and does not check the statement timeout while it
-- does so: a message of 20,000 marks occupied a connection for half a minute. So runs have a bound before a text is normalised.

-- Combining marks --------------------------------------------------------------------------------------

create function app.combining_marks() returns text
language sql immutable set search_path = ''
as $$
  select '['
    '\u0300-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670'
    '\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u07EB-\u07F3\u07FD\u0816-\u0819\u081B-\u0823'
    '\u0825-\u0827\u0829-\u082D\u0859-\u085B\u0897-\u089F\u08CA-\u08E1\u08E3-\u08FF\u093C\u094D\u0951-\u0954\u09BC\u09CD'
    '\u09FE\u0A3C-\u0A4D\u0ABC\u0ACD\u0B3C\u0B4D\u0BCD\u0C3C\u0C4D-\u0C56\u0CBC\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0E38-\u0E3A'
    '\u0E48-\u0E4B\u0EB8-\u0EBA\u0EC8-\u0ECB\u0F18\u0F19\u0F35\u0F37\u0F39\u0F71-\u0F84\u0F86\u0F87\u0FC6\u1037-\u103A'
    '\u108D\u135D-\u135F\u1714\u1715\u1734\u17D2\u17DD\u18A9\u1939-\u193B\u1A17\u1A18\u1A60-\u1A7F\u1AB0-\u1ACE'
    '\u1B34-\u1B44\u1B6B-\u1B73\u1BAA\u1BAB\u1BE6-\u1BF3\u1C37\u1CD0-\u1CD2\u1CD4-\u1CE8\u1CED\u1CF4\u1CF8\u1CF9'
    '\u1DC0-\u1DFF\u20D0-\u20F0\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF\u302A-\u302F\u3099\u309A\uA66F\uA674-\uA67D\uA69E\uA69F'
    '\uA6F0\uA6F1\uA806\uA82C\uA8C4\uA8E0-\uA8F1\uA92B-\uA92D\uA953\uA9B3-\uA9C0\uAAB0\uAAB2-\uAAB4\uAAB7\uAAB8\uAABE\uAABF'
    '\uAAC1\uAAF6\uABED\uFB1E\uFE20-\uFE2F\uFF9E\uFF9F\U000101FD\U000102E0\U00010376-\U0001037A\U00010A0D-\U00010A0F'
    '\U00010A38-\U00010A3F\U00010AE5\U00010AE6\U00010D24-\U00010D27\U00010D69-\U00010D6D\U00010EAB\U00010EAC'
    '\U00010EFD-\U00010EFF\U00010F46-\U00010F50\U00010F82-\U00010F85\U00011046\U00011070\U0001107F\U000110B9\U000110BA'
    '\U00011100-\U00011102\U00011133\U00011134\U00011173\U000111C0\U000111CA\U00011235\U00011236\U000112E9\U000112EA'
    '\U0001133B\U0001133C\U0001134D\U00011366-\U00011374\U000113CE-\U000113D0\U00011442-\U00011446\U0001145E'
    '\U000114C2\U000114C3\U000115BF\U000115C0\U0001163F\U000116B6\U000116B7\U0001172B\U00011839\U0001183A'
    '\U0001193D\U0001193E\U00011943\U000119E0\U00011A34\U00011A47\U00011A99\U00011C3F\U00011D42-\U00011D45\U00011D97'
    '\U00011F41\U00011F42\U0001612F\U00016AF0-\U00016AF4\U00016B30-\U00016B36\U00016FF0\U00016FF1\U0001BC9E'
    '\U0001D165-\U0001D169\U0001D16D-\U0001D172\U0001D17B-\U0001D182\U0001D185-\U0001D18B\U0001D1AA-\U0001D1AD'
    '\U0001D242-\U0001D244\U0001E000-\U0001E02A\U0001E08F\U0001E130-\U0001E136\U0001E2AE\U0001E2EC-\U0001E2EF'
    '\U0001E4EC-\U0001E4EF\U0001E5EE\U0001E5EF\U0001E8D0-\U0001E8D6\U0001E944-\U0001E94A'
    ']'
$$;
comment on function app.combining_marks is
  'A pattern of the characters that normalisation sorts: those with a combining class other than 0 in Unicode 16, and those '
  'that are decomposed into such characters. A test compares it with the server''s own tables.';

create function app.bound_marks(content text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if octet_length(content) = char_length(content) then return content; end if;
  return regexp_replace(content, '(' || app.combining_marks() || '{30})' || app.combining_marks() || '+', '\1', 'g');
end
$$;
comment on function app.bound_marks is
  'A text with at most 30 marks in each run of combining marks, as in Unicode''s stream-safe text format (UAX #15). No '
  'language needs more. Every text is passed through it before normalize().';

-- Invisible characters ---------------------------------------------------------------------------------

create function app.invisible_characters() returns text
language sql immutable set search_path = ''
as $$
  select '\u0001-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F'
    '\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U0001BCA0-\U0001BCA3\U0001D159'
    '\U0001D173-\U0001D17A\U000E0000-\U000E0FFF'
$$;
comment on function app.invisible_characters is
  'The members of a bracket expression: blanks, control characters and characters without a shape, as in wire/texts.ts; a test '
  'compares both.';

create function app.is_visible(content text) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return content ~ ('[^' || app.invisible_characters() || ']');
end
$$;
comment on function app.is_visible is 'Whether a text has a character that can be seen.';

create function app.is_legible(value text) returns boolean
language sql immutable set search_path = ''
as $$
  select octet_length(value) > 80000
    or value !~ '[[:cntrl:]\u202A-\u202E\u2066-\u2069]' and (btrim(value) = '' or app.is_visible(value))
$$;
comment on function app.is_legible is
  'Whether a text of one line can be recognised by sight: no character is a control character, such as a line break, or '
  'overrides the direction of the text after it, and at least one is visible. Text of blanks only, and text that is longer '
  'than any column allows, are left to the check of the length.';

create function app.are_legible_lines(value text) returns boolean
language sql immutable set search_path = ''
as $$
  select app.is_legible(translate(value, E'\t\r\n', ''))
$$;
comment on function app.are_legible_lines is 'As is_legible, of a text that may have several lines, and tabs.';

-- Names ------------------------------------------------------------------------------------------------

create function app.require_name(name text, failure text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if name is null or char_length(btrim(name)) not between 1 and 80 or not app.is_legible(name) then
    raise exception using errcode = 'PT400', message = failure;
  end if;
  return btrim(name);
end
$$;
comment on function app.require_name is
  'The name without leading and trailing blanks; fails with the name of the constraint that it would violate.';

create function app.name_key(name text) returns text
language sql immutable set search_path = ''
as $$
  select btrim(regexp_replace(lower(normalize(app.bound_marks(regexp_replace(left(name, 500),
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF'
    '\uFFA0\uFFF0-\uFFFB\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+', '', 'g')), nfkc)),
    '[[:space:]\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u2800\u3000]+', ' ', 'g'))
$$;
comment on function app.name_key is
  'The form in which names that must be unique are compared: without case, width, forms of composition, characters without a '
  'shape, and repeated blanks. Letters of two scripts that look alike stay different. It uses the first 500 characters, more '
  'than any name has.';

-- Emoji ------------------------------------------------------------------------------------------------

create function app.is_emoji(key text) returns boolean
language sql immutable set search_path = ''
as $$
  -- An emoji, with a variation selector, a skin tone or a keycap; joined ones; a flag of two letters or of tags.
  select char_length(key) between 1 and 64 and key ~ ('^('
    || '[\u00A9\u00AE\u203C\u2049\u2122\u2139\u2194-\u21AA\u231A-\u23FF\u24C2\u25AA-\u27BF\u2934\u2935\u2B05-\u2B55\u3030'
    || '\u303D\u3297\u3299\U0001F004-\U0001F1E5\U0001F200-\U0001FAFF][\uFE0E\uFE0F]?[\U0001F3FB-\U0001F3FF]?'
    || '[\U000E0020-\U000E007F]*(\u200D|$)'
    || '|[0-9#*]\uFE0F?\u20E3$|[\U0001F1E6-\U0001F1FF]{2}$)+$') and key !~ '\u200D$'
$$;
comment on function app.is_emoji is
  'Whether a text is one emoji, by the grammar of UTS #51 and the blocks in which Unicode encodes them; whether a font has it '
  'is not known here.';

-- Mentions ---------------------------------------------------------------------------------------------

create function app.mention_marks(body text) returns text[]
language sql immutable set search_path = ''
as $$
  select case when strpos(body, '<') = 0 then '{}'::text[] else array(
    select distinct m[1] from regexp_matches(body,
      '(?<!\\)(?:\\\\)*(<(?:(?:@&?|#)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|!(?:channel|here))>)', 'g') m) end
$$;
comment on function app.mention_marks is
  'The marks of what a text mentions: `<@profile>`, `<@&group>`, `<#channel>`, `<!channel>`, `<!here>`. A mark is a mention '
  'wherever it stands, also in code, unless an odd number of backslashes precedes it. So nobody needs to parse Markdown here: '
  'wire/body displays the same marks as mentions.';

-- Time zones -------------------------------------------------------------------------------------------

create function app.is_time_zone(name text) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  -- PostgreSQL also accepts abbreviations, which have no slash, and rules such as FOO+3, which have a digit. Browsers know
  -- neither, except these.
  if name is null or name !~ ('^([A-Za-z]+(_[A-Za-z]+)*([/-][A-Za-z]+(_[A-Za-z]+)*)+|Etc/GMT(\+(\d|1[0-2])|-(\d|1[0-4]))'
    '|UTC|GMT|[CEMW]ET|[EMH]ST|EST5EDT|CST6CDT|MST7MDT|PST8PDT)$')
  then
    return false;
  end if;
  perform now() at time zone name;
  return true;
exception when invalid_parameter_value then
  return false;
end
$$;
comment on function app.is_time_zone is
  'Whether this is a name of the IANA database. The view pg_timezone_names reads all of its files, 600 of them.';

-- Functions in checks and indexes run with the rights of the role that writes the row.
grant execute on function app.combining_marks, app.bound_marks, app.invisible_characters, app.is_visible, app.is_legible,
  app.are_legible_lines, app.name_key, app.is_emoji to authenticated, service_role;
