import { describe, expect, it } from 'vitest'
import { parseTemplate, TemplateError, type TemplateValues } from './renderTemplate.ts'

const html = (source: string, values: TemplateValues): string => parseTemplate(source, 'html')(values)

describe('a template', () => {
  it.each([
    ['Hi {{ .Email }}', { Email: 'a@b.c' }, 'Hi a@b.c'],
    ['{{.Data.name}}', { Data: { name: 'Bea' } }, 'Bea'],
    ['{{ .Data.no.such }}|{{ .Nothing }}', { Data: {} }, '|'],
    ['{{ .Data.constructor }}', { Data: {} }, ''],
    ['{{ if .A }}yes{{ else }}no{{ end }}', { A: 'x' }, 'yes'],
    ['{{ if .A }}yes{{ else }}no{{ end }}', { A: '' }, 'no'],
    ['{{ if not .A }}no{{ end }}', { A: '' }, 'no'],
    [
      '{{ if eq .Data.lang "de" }}Hallo{{ else if eq .Data.lang "fr" }}Salut{{ else }}Hi{{ end }}',
      { Data: { lang: 'fr' } },
      'Salut',
    ],
    ['{{ if ne .A "x" }}other{{ end }}', { A: 'y' }, 'other'],
    ['{{ if .A }}{{ if .B }}both{{ end }}!{{ end }}', { A: 1, B: 2 }, 'both!'],
    ['a {{- /* unseen */ -}} b', {}, 'ab'],
    ['a {{- .A -}} b', { A: 'x' }, 'axb'],
    ['{{ .Data }}', { Data: { a: 1 } }, '{&#34;a&#34;:1}'],
  ] as [string, TemplateValues, string][])('%s', (source, values, expected) => {
    expect(html(source, values)).toBe(expected)
  })

  it.each([
    '{{ .A',
    '{{ if .A }}x',
    'x{{ end }}',
    '{{ range .A }}{{ end }}',
    '{{ .A | printf }}',
    '{{ if gt .A 1 }}{{ end }}',
    '{{ include "x" }}',
  ])('with unsupported syntax is an error: %s', (source) => {
    expect(() => parseTemplate(source, 'html')).toThrow(TemplateError)
  })
})

describe('a value', () => {
  const evil = `"><script>alert('x')</script>&`
  it('is escaped between tags and in attributes', () => {
    expect(html('<p>{{ .A }}</p>', { A: evil })).toBe(
      '<p>&#34;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</p>',
    )
    expect(html('<p title="{{ .A }}">', { A: evil })).not.toContain('<script')
  })

  it('is encoded as one parameter in the query of a link', () => {
    const values = { S: 'https://x.example', H: 'pkce_1', R: 'https://x.example/join?a=b&c=d#e' }
    expect(html('<a href="{{ .S }}/confirm?token_hash={{ .H }}&type=email&next={{ .R }}">', values)).toBe(
      '<a href="https://x.example/confirm?token_hash=pkce_1&type=email&next=https%3A%2F%2Fx.example%2Fjoin%3Fa%3Db%26c%3Dd%23e">',
    )
  })

  it('stays a URL at the start of a link', () => {
    const url = 'https://x.example/verify?token=a&type=b'
    expect(html('<a href="{{ .U }}">', { U: url })).toBe(`<a href="${url.replaceAll('&', '&amp;')}">`)
    expect(html("<a href='{{ .U }}'>", { U: url })).toBe(`<a href='${url.replaceAll('&', '&amp;')}'>`)
  })

  it('cannot be a script at the start of a link', () => {
    for (const U of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'data:text/html,x',
      ' javascript:x',
      'vbscript:x',
    ]) {
      expect(html('<a href="{{ .U }}">', { U })).toBe('<a href="#">')
    }
  })

  it('is escaped after an attribute with a bracket', () => {
    expect(html('<img alt="a>b" src="x">{{ .A }}', { A: '<b>' })).toContain('&lt;b&gt;')
  })

  it('is not escaped in a subject', () => {
    expect(parseTemplate('For {{ .A }}', 'text')({ A: '<Tom & Ann>' })).toBe('For <Tom & Ann>')
  })
})
