import { describe, expect, it } from 'vitest'
import { publicHeaders, target } from './target.ts'

describe('the gateway', () => {
  it.each(['auth/v1/settings', 'rest/v1/', 'storage/v1/bucket'])('refuses %s without a key', async (path) => {
    expect((await fetch(`${target.url}/${path}`)).status).toBe(401)
  })

  it('accepts preflight requests of any origin', async () => {
    const response = await fetch(`${target.url}/rest/v1/acceptance_items`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.org',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey, authorization, content-type',
      },
    })
    expect(response.ok).toBe(true)
    expect(response.headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/app\.example\.org)$/)
    expect(response.headers.get('access-control-allow-headers')).toMatch(/apikey|\*/i)
  })

  it.each(['auth/v1/settings', 'rest/v1/', 'storage/v1/bucket'])(
    'refuses %s with an invalid key',
    async (path) => {
      const headers = { apikey: 'sb_publishable_nonsense' }
      expect((await fetch(`${target.url}/${path}`, { headers })).status).toBe(401)
    },
  )

  it.each(['auth', 'rest', 'storage', 'realtime'])(
    'returns 404 with CORS headers for an unknown path of %s',
    async (name) => {
      const response = await fetch(`${target.url}/${name}/v1/no/such/path`, { headers: publicHeaders })
      expect(response.status).toBe(404)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    },
  )

  it('describes the schema to the secret key only', async () => {
    const anon = await fetch(`${target.url}/rest/v1/`, { headers: publicHeaders })
    expect(anon.status).toBe(401)
    const secret = await fetch(`${target.url}/rest/v1/`, {
      headers: { apikey: target.serviceKey, authorization: `Bearer ${target.serviceKey}` },
    })
    expect(await secret.json()).toMatchObject({ swagger: '2.0', paths: expect.any(Object) })
  })
})
