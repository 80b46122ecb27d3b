import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

let database: AuthDatabase
let auth: AuthServer
let email: string
beforeAll(async () => {
  database = await startDatabase()
  auth = await startAuth(database, '[auth.email]\nenable_confirmations = true\n')
  email = uniqueEmail()
  const data = { name: '<script>alert(1)</script>' }
  await auth.client().auth.signInWithOtp({ email, options: { data } })
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

/** With headers that fetch does not allow. */
function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; csp?: string }> {
  return new Promise((resolve, reject) => {
    request(auth.url + path, { headers }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          text,
          csp: response.headers['content-security-policy'] as string,
        }),
      )
    })
      .on('error', reject)
      .end()
  })
}

it('opens on this machine with its token', async () => {
  const page = await get(auth.service.mailbox.path!)
  expect(page.status).toBe(200)
  expect(page.text).toContain(email)
  expect(page.text).toMatch(/<span class="code">\d{6}<\/span>/)
  expect(page.text).not.toContain('<script')
  expect(page.csp).toMatch(/^default-src 'none'/)
  const [, own] = /<h2><a href="([^"]+)">/.exec(page.text)!
  const mail = await get(own!)
  expect(mail.text).toContain(`<iframe sandbox title="The mail" src="${own!}/html">`)
  // A page that reloads would take the mail away while it is read.
  expect([mail.status, mail.text.includes('http-equiv'), page.text.includes('http-equiv')]).toEqual([
    200,
    false,
    true,
  ])
  const html = await get(`${own!}/html`)
  expect(html.text).toContain('<!doctype html>')
  expect(html.csp).toMatch(/^sandbox; default-src 'none'/)
  for (const path of [own!, `${own!}/html`]) {
    expect((await get(path, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(404)
    expect((await get(path.replace(/\/mailbox\/[^/]+/, `/mailbox/${'x'.repeat(32)}`))).status).toBe(404)
    expect((await get(path.replace(/[0-9a-f-]{36}/, '00000000-0000-4000-8000-000000000000'))).status).toBe(
      404,
    )
  }
  const list = await get(`${auth.service.mailbox.path!}/messages`)
  expect(JSON.parse(list.text)).toEqual([
    {
      id: expect.any(String) as string,
      to: email,
      subject: 'Confirm your email',
      text: expect.stringContaining('Or enter this code where you entered your email:\n\n') as string,
      html: expect.stringContaining('<!doctype html>') as string,
      link: expect.stringContaining('/auth/v1/verify?') as string,
      code: expect.stringMatching(/^\d{6}$/) as string,
      sentAt: expect.any(String) as string,
    },
  ])
  expect((await get(auth.service.mailbox.path!, { host: `localhost:1` })).status).toBe(200)
})

it.each([
  ['another token', {}, `/mailbox/${'x'.repeat(32)}`],
  ['a name that was rebound', { host: 'evil.example' }],
  ['a proxy', { 'x-forwarded-for': '203.0.113.1' }],
  ['a proxy of another kind', { forwarded: 'for=203.0.113.1' }],
  ['yet another', { via: '1.1 proxy' }],
  ['one with only the name', { 'x-forwarded-host': 'localhost' }],
  ['nginx', { 'x-real-ip': '127.0.0.1' }],
] as [string, Record<string, string>, string?][])('is closed to %s', async (_, headers, path) => {
  const response = await get(path ?? auth.service.mailbox.path!, headers)
  expect([response.status, response.text]).toEqual([404, 'Not found'])
  const list = await get(`${path ?? auth.service.mailbox.path!}/messages`, headers)
  expect(list.status).toBe(404)
})

it('the public settings mention the mailbox, without its URL, if no SMTP server sends mails', async () => {
  const settingsWith = async (toml: string): Promise<Record<string, unknown>> => {
    const server = await startAuth(database, toml)
    const settings = (await (await server.request('/settings')).json()) as Record<string, unknown>
    await server.stop()
    return settings
  }
  const own = await (await auth.request('/settings')).text()
  expect(JSON.parse(own)).toMatchObject({ mailer_local_mailbox: true })
  expect(own).not.toContain(auth.service.mailbox.path!.split('/').at(-1))
  const smtp =
    '[auth.email.smtp]\nhost = "127.0.0.1"\nport = 2525\nadmin_email = "chat@example.com"\nsender_name = "Linnet"\n'
  const hook = '[auth.hook.send_email]\nenabled = true\nuri = "pg-functions://postgres/public/send_email"\n'
  expect(await settingsWith(smtp)).not.toHaveProperty('mailer_local_mailbox')
  expect(await settingsWith(hook)).not.toHaveProperty('mailer_local_mailbox')
})
