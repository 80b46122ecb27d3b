import type { Rendering } from './ValueTypes.ts'

/** A number in JSON: not NaN, not Infinity. */
const jsonNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/**
 * Converts a value's text, which PostgreSQL writes in UTC and ISO style, to JSON text such as its `to_jsonb` returns.
 * `bytea` is sent as hexadecimal digits without `\x`, as in the hosted service.
 */
export function renderValue(rendering: Exclude<Rendering, 'database'>, text: string): string {
  if (typeof rendering === 'object') return renderArray(rendering.element, text)
  if (rendering === 'bytea') return JSON.stringify(text.slice(2))
  return renderScalar(rendering, text)
}

function renderScalar(rendering: Rendering, text: string): string {
  switch (rendering) {
    case 'boolean':
      return text === 't' || text === 'true' ? 'true' : 'false'
    case 'number':
      return jsonNumber.test(text) ? text : JSON.stringify(text)
    case 'json':
      return text
    case 'timestamp':
      return JSON.stringify(text.replace(' ', 'T'))
    case 'timestamptz':
      return JSON.stringify(text.replace(' ', 'T').replace(/\+00(?= BC$|$)/, '+00:00'))
    default:
      return JSON.stringify(text)
  }
}

/**
 * Parses an array literal ("Array Input and Output Syntax" in PostgreSQL's manual). Explicit bounds, as in
 * `[0:1]={1,2}`, are dropped.
 */
function renderArray(element: Rendering, literal: string): string {
  const text = literal.slice(literal.indexOf('{'))
  let json = ''
  let at = 0
  const item = (): void => {
    if (text[at] === '"') {
      let value = ''
      for (at++; text[at] !== '"'; at++) {
        if (text[at] === '\\') at++
        value += text[at]
      }
      at++
      json += renderScalar(element, value)
      return
    }
    const from = at
    while (text[at] !== ',' && text[at] !== '}') at++
    const value = text.slice(from, at)
    json += value === 'NULL' ? 'null' : renderScalar(element, value)
  }
  while (at < text.length) {
    const char = text[at]!
    if (char === '{') json += '['
    else if (char === '}') json += ']'
    else if (char === ',') json += ','
    else {
      item()
      continue
    }
    at++
  }
  return json
}
