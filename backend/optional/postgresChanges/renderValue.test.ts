import { expect, it } from 'vitest'
import { renderValue } from './renderValue.ts'

it.each([
  ['boolean', 't', 'true'],
  ['boolean', 'f', 'false'],
  ['number', '-12.50', '-12.50'],
  ['number', '1e-05', '1e-05'],
  ['number', '9223372036854775807', '9223372036854775807'],
  ['number', 'NaN', '"NaN"'],
  ['number', '-Infinity', '"-Infinity"'],
  ['json', '{"a": [1, null]}', '{"a": [1, null]}'],
  ['timestamp', '2026-11-21 13:00:00.25', '"2026-11-21T13:00:00.25"'],
  ['timestamp', 'infinity', '"infinity"'],
  ['timestamptz', '2026-11-21 13:00:00.25+00', '"2026-11-21T13:00:00.25+00:00"'],
  ['timestamptz', '0044-03-15 12:00:00+00 BC', '"0044-03-15T12:00:00+00:00 BC"'],
  ['timestamptz', '-infinity', '"-infinity"'],
  ['bytea', '\\x0102ff', '"0102ff"'],
  ['text', 'a "b"\n', '"a \\"b\\"\\n"'],
  [{ element: 'number' as const }, '{}', '[]'],
  [{ element: 'number' as const }, '{1,NULL,-2}', '[1,null,-2]'],
  [{ element: 'number' as const }, '{{1,2},{3,4}}', '[[1,2],[3,4]]'],
  [{ element: 'number' as const }, '[0:1]={1,2}', '[1,2]'],
  [{ element: 'boolean' as const }, '{t,f}', '[true,false]'],
  [
    { element: 'text' as const },
    '{plain,"a,b","NULL","q\\"\\\\{}",""}',
    '["plain","a,b","NULL","q\\"\\\\{}",""]',
  ],
  [{ element: 'json' as const }, '{"{\\"a\\": [1, 2]}"}', '[{"a": [1, 2]}]'],
  [{ element: 'timestamptz' as const }, '{"2026-11-21 13:00:00+00"}', '["2026-11-21T13:00:00+00:00"]'],
  [{ element: 'bytea' as const }, '{"\\\\x01"}', '["\\\\x01"]'],
] as const)('%j %s', (rendering, text, json) => {
  expect(renderValue(rendering, text)).toBe(json)
  JSON.parse(json)
})
