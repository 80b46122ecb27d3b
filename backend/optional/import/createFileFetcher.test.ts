import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createFileFetcher } from './createFileFetcher.ts'
import type { ExportedFile } from './ExportReader.ts'

const file: ExportedFile = {
  key: 'F1',
  name: 'plan.pdf',
  type: 'application/pdf',
  size: 5,
  width: null,
  height: null,
  address: '',
  source: { kind: 'external' },
}

const servers: { close(): void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A server on this machine, which is no public address; only `allowed` permits it. */
async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle)
  servers.push(server)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const fetchFrom = (url: string, from: Partial<ExportedFile> = {}) =>
  createFileFetcher({ token: 'secret', allowed: ['127.0.0.1'] })({ ...file, ...from }, url)

describe('a file behind a link', () => {
  it('is fetched, and its token is sent to Slack alone', async () => {
    let authorization: string | undefined
    const url = await serve((request, response) => {
      authorization = request.headers.authorization
      response.setHeader('content-type', 'application/pdf').end('bytes')
    })
    expect(await fetchFrom(url)).toEqual({ bytes: Buffer.from('bytes') })
    expect(authorization).toBeUndefined()
  })

  it('is missing if the server responds with another status', async () => {
    const url = await serve((_, response) => response.writeHead(404).end('gone'))
    expect(await fetchFrom(url)).toEqual({ problem: 'the server responded with status 404' })
  })

  it('is missing if a link that has ended leads to a page', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/sign-in' }).end()
      else response.setHeader('content-type', 'text/html; charset=utf-8').end('<html>')
    })
    expect(await fetchFrom(url)).toMatchObject({
      problem: expect.stringContaining('a web page instead') as string,
    })
    expect(await fetchFrom(url, { type: 'text/html' })).toEqual({ bytes: Buffer.from('<html>') })
  })

  it('is not requested from an address that is not public', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests++
      response.end('bytes')
    })
    const refused = { problem: 'the address is not public' }
    const fetchFile = createFileFetcher({ token: null })
    expect(await fetchFile(file, url)).toEqual(refused)
    expect(await fetchFile(file, 'http://169.254.169.254/latest')).toEqual(refused)
    expect(requests).toBe(0)
    const redirecting = await serve((_, response) =>
      response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    )
    expect(await fetchFrom(redirecting)).toEqual(refused)
  })

  it('is missing if nobody responds', async () => {
    const url = await serve(() => {})
    servers.splice(0).forEach((server) => server.close())
    expect(await fetchFrom(url)).toEqual({ problem: 'the server could not be reached' })
  })
})
