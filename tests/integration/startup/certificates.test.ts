import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { readAcmeState } from '../../../backend/gateway/acme/acmeFiles.ts'
import { createPlaceholder } from '../../../backend/gateway/acme/certificateRequest.ts'
import { runCommandLine } from '../../support/runCommandLine.ts'
import { endWithThisProcess, startServer, temporaryData } from '../../support/server.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'

const root = join(import.meta.dirname, '../../..')
const pebble = '/usr/bin/pebble'
const data = temporaryData()
const authority = temporaryData()
const programs: ChildProcess[] = []
let ports: { directory: number; management: number; http: number; dns: number; names: number }
let env: Record<string, string>

/** Ports that no program uses now. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const found = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => void server.close(resolve))))
  return found
}

function run(program: string, args: string[], more: Record<string, string> = {}): void {
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...more } })
  endWithThisProcess(child)
  programs.push(child)
}

/** Certificates that are valid for so few seconds are renewed during the test. */
const lifetimeSeconds = 12

/** Runs Pebble, the certificate authority for tests of Let's Encrypt, with DNS of its own. */
async function startAuthority(): Promise<void> {
  const [directory, management, http, dns, names] = (await freePorts(5)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  ports = { directory, management, http, dns, names }
  const [certificate, privateKey, config] = ['cert.pem', 'key.pem', 'config.json'].map((name) =>
    join(authority.dir, name),
  ) as [string, string, string]
  const own = await createPlaceholder('localhost', Date.now())
  writeFileSync(certificate, own.cert)
  writeFileSync(privateKey, own.key)
  const listenAddress = `127.0.0.1:${directory}`
  const pebbleSettings = {
    listenAddress,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate,
    privateKey,
    httpPort: http,
    tlsPort: 1,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    certificateValidityPeriod: lifetimeSeconds,
  }
  writeFileSync(config, JSON.stringify({ pebble: pebbleSettings }))
  const disabled = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', '']
  run('/usr/bin/pebble-challtestsrv', [
    ...disabled,
    '-dns01',
    `127.0.0.1:${dns}`,
    '-management',
    `127.0.0.1:${names}`,
  ])
  // Pebble rejects some nonces by default, as an authority may do at any time.
  run(pebble, ['-config', config, '-dnsserver', `127.0.0.1:${dns}`], { PEBBLE_VA_NOSLEEP: '1' })
  env = {
    NODE_EXTRA_CA_CERTS: certificate,
    LINNET_TLS_DIRECTORY: `https://localhost:${directory}/dir`,
    LINNET_TLS_HTTP_PORT: String(http),
    LINNET_TLS_CONTACT: 'admin@linnet.example',
  }
  await Promise.all([waitForPort(directory), waitForPort(names)])
}

const waitForPort = (port: number): Promise<void> =>
  vi.waitFor(
    async () => {
      const socket = connectTcp({ port, host: '127.0.0.1' })
      await once(socket, 'connect')
      socket.destroy()
    },
    { timeout: 60_000 },
  )

beforeAll(async () => {
  if (!existsSync(pebble)) return
  await Promise.all([startAuthority(), fillLinnetData(data.dir)])
})
afterAll(async () => {
  for (const child of programs) child.kill('SIGKILL')
  data.remove()
  authority.remove()
})

const start = (host: string) =>
  startServer({
    root,
    dataDir: data.dir,
    args: ['--no-app', '--host', '127.0.0.1', '--public-url', `https://${host}`, '--acme'],
    env,
  })

/** The port of `url`, which is the public address. */
const portOf = (url: string): number => Number(new URL(url).port)

/** The issuer and serial number of the certificate that the server uses for new connections. */
function servedCertificate(port: number): Promise<{ issuer: string; serial: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const { issuer, serialNumber } = socket.getPeerCertificate()
      resolve({ issuer: String(issuer.CN), serial: serialNumber })
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

function getPlain(path: string): Promise<{ status: number | undefined; location: string | undefined }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: ports.http, path }, (response) => {
      response.resume()
      resolve({ status: response.statusCode, location: response.headers.location })
    }).on('error', reject)
  })
}

it.skipIf(!existsSync(pebble))(
  'a name that leads to another machine is an error, and the server runs',
  async () => {
    const host = 'elsewhere.linnet.example'
    await fetch(`http://127.0.0.1:${ports.names}/add-a`, {
      method: 'POST',
      body: JSON.stringify({ host, addresses: ['127.0.0.2'] }),
    })
    const server = await start(host)
    await expect
      .poll(() => readAcmeState(data.dir)?.failure)
      .toMatchObject({
        problem: 'validation',
        reason: expect.stringMatching(/connection refused/i),
      })
    expect(readAcmeState(data.dir)?.failures).toBe(1)
    const port = portOf(server.dashboard)
    expect((await servedCertificate(port)).issuer).toBe('Linnet waits for its certificate')
    const doctor = await runCommandLine(['doctor', '--data', data.dir])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(
      /Certificate\s+The certificate authority did not find this server at the host name/,
    )
    expect(doctor.stdout).toMatch(/The last attempt failed at .*connection refused/i)
    await server.end('SIGTERM')
  },
)

it.skipIf(!existsSync(pebble))(
  'a certificate is issued and renewed while a WebSocket stays open',
  async () => {
    const server = await start('chat.linnet.example')
    const port = portOf(server.dashboard)
    await expect.poll(async () => (await servedCertificate(port)).issuer).toMatch(/^Pebble Intermediate/)
    const first = await servedCertificate(port)

    const realtime = `wss://127.0.0.1:${port}/realtime/v1/websocket?apikey=${server.publishableKey}&vsn=1.0.0`
    const socket = new WebSocket(realtime, { rejectUnauthorized: false })
    await once(socket, 'open')
    const sendHeartbeat = async (ref: string): Promise<unknown> => {
      const reply = once(socket, 'message')
      socket.send(JSON.stringify({ topic: 'phoenix', event: 'heartbeat', payload: {}, ref }))
      return JSON.parse(String((await reply)[0]))
    }
    expect(await sendHeartbeat('1')).toMatchObject({ ref: '1', payload: { status: 'ok' } })
    await expect.poll(async () => (await servedCertificate(port)).serial).not.toBe(first.serial)
    expect(await sendHeartbeat('2')).toMatchObject({ ref: '2', payload: { status: 'ok' } })
    socket.close()

    expect(await getPlain('/c/general')).toEqual({
      status: 308,
      location: 'https://chat.linnet.example/c/general',
    })
    expect(await getPlain('/.well-known/acme-challenge/none')).toMatchObject({ status: 404 })

    // The authority is gone: the certificate stays in use, and the failure is known.
    for (const child of programs) child.kill('SIGKILL')
    await expect.poll(() => readAcmeState(data.dir)?.failure?.problem).toBe('unreachable')
    expect((await servedCertificate(port)).issuer).toMatch(/^Pebble Intermediate/)
    const { stderr } = await server.end('SIGTERM')
    expect(stderr).toMatch(/gateway\.certificate_request_failed/)
    expect(stderr).not.toMatch(/PRIVATE KEY/)
    expect(readFileSync(join(data.dir, 'tls/certificate.pem'), 'utf8')).toMatch(/PRIVATE KEY/)
  },
)
