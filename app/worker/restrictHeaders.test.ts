import { expect, it } from 'vitest'
import { restrictHeaders, mayHideMarkup, mayShow } from './restrictHeaders.ts'

const bounded = (headers: Record<string, string>, o: Partial<Parameters<typeof restrictHeaders>[1]> = {}) =>
  restrictHeaders(new Headers(headers), {
    name: 'a',
    download: false,
    destination: 'iframe',
    markup: false,
    ...o,
  })

it.each([
  ['image/png', 'image', 'image/png'],
  ['image/jpeg', 'document', 'image/jpeg'],
  ['video/mp4', 'video', 'video/mp4'],
  ['audio/ogg; codecs=opus', 'audio', 'audio/ogg'],
  ['audio/ogg', 'video', 'audio/ogg'],
  ['application/pdf', 'iframe', 'application/pdf'],
  ['text/plain', 'iframe', 'text/plain; charset=utf-8'],
  ['text/plain;charset=utf-7', 'document', 'text/plain; charset=utf-8'],
])('%s opens in place in %s', (type, destination, sent) => {
  const headers = bounded({ 'content-type': type }, { destination })
  expect(headers.get('content-type')).toBe(sent)
  expect(headers.get('content-disposition')).toMatch(/^inline; /)
})

it.each([
  ['text/html', 'iframe'],
  ['image/svg+xml', 'image'],
  ['image/svg+xml', 'document'],
  ['application/xhtml+xml', 'iframe'],
  ['text/xml', 'iframe'],
  ['application/octet-stream', 'iframe'],
  ['', 'iframe'],
  // Their parts would be fetched from a page of their own.
  ['application/pdf', 'document'],
  ['video/mp4', 'document'],
  ['video/mp4', 'iframe'],
  ['text/plain', 'image'],
])('"%s" in %s is saved', (type, destination) => {
  const headers = bounded({ 'content-type': type }, { destination })
  expect(headers.get('content-type')).toBe('application/octet-stream')
  expect(headers.get('content-disposition')).toMatch(/^attachment; /)
  expect(headers.get('content-security-policy')).toContain('sandbox')
})

it('saves files requested as downloads, and those that storage sends as attachments', () => {
  const picture = { 'content-type': 'image/png' }
  expect(bounded(picture, { download: true }).get('content-type')).toBe('application/octet-stream')
  const html = {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment; filename="file"',
  }
  expect(bounded(html).get('content-disposition')).toMatch(/^attachment/)
})

it.each(['text/plain', 'image/png', 'application/pdf'])(
  'a document that storage labels %s without a disposition is saved',
  (type) => {
    const headers = bounded({ 'content-type': type }, { markup: true })
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toMatch(/^attachment; /)
  },
)

it('reads the beginning only of what would open as a document', () => {
  const reads = (destination: string, type = 'text/plain', o = { download: false }) =>
    mayHideMarkup(new Headers({ 'content-type': type }), { destination, ...o })
  expect([reads('document'), reads('iframe'), reads('iframe', 'application/pdf')]).toEqual([true, true, true])
  expect([reads('image', 'image/png'), reads('video', 'video/mp4'), reads('')]).toEqual([false, false, false])
  expect([reads('iframe', 'text/html'), reads('iframe', 'text/plain', { download: true })]).toEqual([
    false,
    false,
  ])
})

it('lets no file run or load anything, whatever opens it', () => {
  for (const type of ['image/png', 'application/pdf', 'text/plain', 'text/html']) {
    const headers = bounded({ 'content-type': type })
    const policy = headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'self'")
    expect(policy).not.toContain('script')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

it('keeps the validators of a partial response, and no other header of storage', () => {
  const headers = bounded({
    'content-type': 'image/png',
    'content-length': '3',
    etag: '"x"',
    'set-cookie': 'a=b',
    'content-security-policy': "script-src 'unsafe-inline'",
    link: '<https://elsewhere.example>; rel=preload',
    refresh: '0; url=https://elsewhere.example',
    'service-worker-allowed': '/',
  })
  expect(headers.get('etag')).toBe('"x"')
  expect(headers.get('content-length')).toBe('3')
  for (const name of ['set-cookie', 'link', 'refresh', 'service-worker-allowed'])
    expect(headers.has(name)).toBe(false)
  const packed = bounded({ 'content-length': '3', 'content-encoding': 'br' })
  expect(packed.has('content-length')).toBe(false)
})

it('encodes a name of any script so that it cannot end the header', () => {
  const of = (name: string) => bounded({ 'content-type': 'image/png' }, { name }).get('content-disposition')
  expect(of('')).toBe('inline')
  expect(of('中.png')).toBe(`inline; filename="_.png"; filename*=UTF-8''%E4%B8%AD.png`)
  expect(of('a"\r\nset-cookie: x')).toBe(
    `inline; filename="a___set-cookie: x"; filename*=UTF-8''a%22%0D%0Aset-cookie%3A%20x`,
  )
})

it.each([
  'script',
  'worker',
  'sharedworker',
  'serviceworker',
  'style',
  'object',
  'embed',
  'manifest',
  'xslt',
  'constructor',
])('has nothing for a %s', (destination) => expect(mayShow(destination)).toBe(false))
