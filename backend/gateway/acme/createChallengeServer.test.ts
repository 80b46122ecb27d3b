import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChallengeServer } from './createChallengeServer.ts'

const server = createChallengeServer('https://chat.example.org')
let port = 0
beforeAll(async () => void (port = await server.listen('127.0.0.1', 0)))
afterAll(() => server.close())

function send(path: string, o: { method?: string; host?: string } = {}) {
  return new Promise<{ status: number; location: string | undefined; body: string }>((resolve, reject) => {
    const headers = { host: o.host ?? 'chat.example.org' }
    request({ host: '127.0.0.1', port, path, method: o.method ?? 'GET', headers }, async (response) => {
      let body = ''
      for await (const chunk of response) body += String(chunk)
      resolve({ status: response.statusCode!, location: response.headers.location, body })
    })
      .on('error', reject)
      .end()
  })
}

it('plain http is redirected to the public address, whatever host the client names', async () => {
  expect(await send('/c/general?x=1')).toMatchObject({
    status: 308,
    location: 'https://chat.example.org/c/general?x=1',
  })
  expect(await send('/', { host: 'evil.example' })).toMatchObject({ location: 'https://chat.example.org/' })
  expect(await send('//evil.example')).toMatchObject({ location: 'https://chat.example.org//evil.example' })
  expect(await send('http://evil.example/x')).toMatchObject({ location: 'https://chat.example.org/' })
  expect(await send('/rest/v1/', { method: 'POST' })).toMatchObject({ status: 308 })
})

it('a challenge is served only while it is published', async () => {
  const path = '/.well-known/acme-challenge/abc'
  expect(await send(path)).toMatchObject({ status: 404, location: undefined })
  const remove = server.publish('abc', 'abc.thumbprint')
  expect(await send(path)).toMatchObject({ status: 200, body: 'abc.thumbprint' })
  remove()
  expect(await send(path)).toMatchObject({ status: 404 })
})

it('at most eight challenges are stored', async () => {
  for (let i = 0; i < 9; i++) server.publish(`token-${i}`, 'x')
  expect(await send('/.well-known/acme-challenge/token-0')).toMatchObject({ status: 404 })
  expect(await send('/.well-known/acme-challenge/token-8')).toMatchObject({ status: 200 })
})

it('a port that another program uses is a sentence for the owner', async () => {
  const second = createChallengeServer('https://chat.example.org')
  await expect(second.listen('127.0.0.1', port)).rejects.toThrow(
    /is in use by another program\. A certificate by ACME needs this port/,
  )
})
