import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compressBody } from './compressBody.ts'
import type { RestResponse } from './restResponse.ts'

const text = JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ id: n, name: `Zoë ${n}` })))

const respond = (over: Partial<RestResponse> = {}): RestResponse => ({
  status: 200,
  headers: { 'Content-Type': 'application/json; charset=utf-8', Vary: 'Accept, Prefer, Range' },
  body: text,
  ...over,
})

describe('the body of a response', () => {
  it.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.5', 'deflate,GZIP'])(
    'is compressed for a client that accepts %s',
    async (accepted) => {
      const { headers, body } = await compressBody(respond(), accepted)
      expect(headers).toMatchObject({
        'Content-Encoding': 'gzip',
        Vary: 'Accept, Prefer, Range, Accept-Encoding',
      })
      expect(body!.length).toBeLessThan(text.length / 4)
      expect(gunzipSync(body as Uint8Array).toString()).toBe(text)
    },
  )

  it.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.000, br'])(
    'is sent as it is to a client that accepts %s, and Vary names the header',
    async (accepted) => {
      const { headers, body } = await compressBody(respond(), accepted)
      expect([headers['Content-Encoding'], headers['Vary'], body]).toEqual([
        undefined,
        'Accept, Prefer, Range, Accept-Encoding',
        text,
      ])
    },
  )

  it.each<[string, Partial<RestResponse>]>([
    ['short', { body: '[]' }],
    ['absent', { body: null }],
    ['binary', { headers: { 'Content-Type': 'image/png' } }],
    ['encoded by SQL', { headers: { 'Content-Type': 'text/plain', 'content-encoding': 'br' } }],
  ])('is sent as it is where it is %s', async (_what, over) => {
    expect(await compressBody(respond(over), 'gzip')).toEqual(respond(over))
  })
})
