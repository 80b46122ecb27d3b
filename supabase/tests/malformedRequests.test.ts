import { expect, it } from 'vitest'
import { respond as signIn } from '../functions/device-sign-in/respond.ts'
import { respond as push, type Ports as PushPorts } from '../functions/push/respond.ts'

it('a device signs in with any user agent, whose name is stored as far as it can be read', async () => {
  const devices: string[] = []
  const claim = async (device: unknown) => {
    const body = JSON.stringify({ code: 'a code', device })
    const headers = { 'content-length': String(Buffer.byteLength(body)) }
    const request = new Request('http://x/', { method: 'POST', body, headers })
    const response = await signIn(request, {
      claim: async (_, name) => {
        devices.push(name)
        return { claim: 'claim', number: 12 }
      },
      take: async () => null,
      createToken: async () => '',
    })
    expect(response.status).toBe(200)
  }
  for (const device of ['Firefox', 'a\u202Eb\n\0c', '\u200B', null, 7, ['x']]) await claim(device)
  expect(devices).toEqual(['Firefox', 'abc', '', '', '', ''])
})

it('a malformed report of a browser is refused as such, and a malformed call of the database sends what is due', async () => {
  let claims = 0
  const ports = {
    isTask: async () => true,
    keys: async (made: unknown) => ({ keys: made, contact: null, allowed: [] }),
    claim: async () => {
      claims += 1
      return []
    },
    report: async () => {},
  } as unknown as PushPorts
  const request = async (query: string, body?: string) => {
    const headers = { 'x-linnet-task': 'secret' }
    const sent = new Request(`http://x/push${query}`, {
      method: 'POST',
      headers,
      ...(body === undefined ? {} : { body }),
    })
    return (await push(sent, ports)).status
  }
  const id = crypto.randomUUID()
  expect(await request(`?token=a&message=${id}`)).toBe(200)
  for (const message of ['x', '%00', `${id}0`, '']) {
    expect([message, await request(`?token=a&message=${message}`)]).toEqual([message, 400])
  }
  for (const body of ['null', '7', '[]', '{"wait_ms":"x"}', '', '{'])
    expect(await request('', body)).toBe(200)
  expect(claims).toBe(6)
})
