import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Uuid } from '../../../wire/scalars.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { createProject, type Project } from '../../support/createProject.ts'
import { bring, call, clientOf, foundWorkspace } from '../../support/people.ts'
import { startSmtp, type AcceptedMail, type SmtpServer } from '../../support/startSmtp.ts'

/** From the message to the mail server, with the settings of sign-in mails. */
let smtp: SmtpServer
let project: Project
let backend: Backend
let db: Client
let ann: SupabaseClient
let bea: SupabaseClient
let workspace: Uuid
let channel: Uuid
let mention: string

const root = join(import.meta.dirname, '../../..')

beforeAll(async () => {
  smtp = await startSmtp()
  const config = readFileSync(join(root, 'supabase/config.toml'), 'utf8')
  project = createProject({
    'config.toml': `${config}
[auth.email.smtp]
host = "127.0.0.1"
port = ${smtp.port}
admin_email = "chat@harbour.example"
sender_name = "Harbour Street"
`,
  })
  cpSync(join(root, 'supabase/templates'), join(project.dir, 'templates'), { recursive: true })
  for (const name of [
    'supabase/migrations',
    'supabase/schemas',
    'supabase/functions',
    'app',
    'backend',
    'wire',
    'node_modules',
  ]) {
    symlinkSync(join(root, name), join(project.dir, '..', name))
  }
  backend = await startBackend({ more: { supabaseDir: project.dir } })
  db = new Client(backend.dbUrl)
  await db.connect()
  const founded = await foundWorkspace(backend)
  ;({ ann, channel, workspace } = founded)
  bea = await bring(backend, ann, { workspace, channels: [channel], name: 'bea' })
  const { me } = await call(bea, 'bootstrap', {})
  mention = `<@${me!.profile.id}>`
})
beforeEach(() => {
  smtp.accepted.length = 0
  smtp.faults.length = 0
})
afterAll(async () => {
  await db?.end()
  await backend?.stop()
  await smtp?.stop()
  project?.remove()
})

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { interval: 50 })
const send = async (body: string): Promise<Uuid> => {
  const id = randomUUID()
  await call(ann, 'send_message', { id, channel, body })
  return id
}
/** The clock goes on: messages, jobs and mails so far are that much older. Then what pg_cron runs each minute. */
const passMinutes = async (minutes: number): Promise<void> => {
  await db.query('select app.queue_mails()')
  await db.query(`
    alter table public.messages disable trigger user;
    update public.messages set created_at = created_at - ${minutes} * interval '1 minute';
    alter table public.messages enable trigger user;
    update public.jobs set run_at = run_at - ${minutes} * interval '1 minute';
    update public.mail_deliveries set attempted_at = attempted_at - ${minutes} * interval '1 minute'`)
  await db.query('select app.queue_mails()')
}
const waiting = async (): Promise<{ attempts: number }[]> =>
  (await db.query<{ attempts: number }>(`select attempts from public.jobs where kind like 'mail%'`)).rows
const isEmpty = () => until(async () => expect(await waiting()).toEqual([]))
const received = async (): Promise<AcceptedMail> => {
  await smtp.waitForMails(1)
  await isEmpty()
  expect(smtp.accepted).toHaveLength(1)
  return smtp.accepted[0]!
}
/** A header, unfolded. */
const header = (mail: AcceptedMail, name: string): string | undefined =>
  new RegExp(`^${name}:(.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(mail.data)?.[1]!.replaceAll('\r\n', '').trim()
/** The content of a part, decoded. */
const part = (mail: AcceptedMail, type: string): string => {
  const boundary = /boundary="([^"]+)"/.exec(mail.data)![1]!
  const found = mail.data.split(`--${boundary}`).find((text) => text.includes(`Content-Type: ${type}`))!
  const [head, ...body] = found.split('\r\n\r\n')
  const text = body.join('\r\n\r\n')
  if (/encoding: base64/i.test(head!)) return Buffer.from(text, 'base64').toString()
  if (!/encoding: quoted-printable/i.test(head!)) return text
  const bytes = text
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

it('sends one mail of several messages as text and HTML after 15 minutes, and unsubscribes by one click', async () => {
  const first = await send(`Hello ${mention}, **see** <b>this</b> & that`)
  const second = await send(`And ${mention} again`)
  await passMinutes(14)
  expect(smtp.accepted).toEqual([])
  expect(await waiting()).toEqual([{ attempts: 0 }])
  await passMinutes(2)
  // A second scheduler.
  await db.query('select app.queue_mails()')
  const mail = await received()
  expect(mail.recipients).toEqual(['RCPT TO:<bea@harbour.example>'])
  expect(mail.from).toContain('chat@harbour.example')
  expect(header(mail, 'Subject')).toBe('Ann Okafor mentioned you in #front-desk')
  expect(header(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
  expect(header(mail, 'Auto-Submitted')).toBe('auto-generated')
  const [text, html] = [part(mail, 'text/plain'), part(mail, 'text/html')]
  expect(text).toContain('Hello @bea, see <b>this</b> & that')
  expect(html).toContain('Hello @bea, see &#60;b&#62;this&#60;/b&#62; &#38; that')
  for (const id of [first, second]) {
    const link = `${backend.url}/c/${channel}/m/${id}`
    expect(text).toContain(link)
    expect(html).toContain(`href="${link}"`)
  }
  expect(html).not.toMatch(/<(img|script|link|iframe)\b|url\(/)

  const link = /^<(.*)>$/.exec(header(mail, 'List-Unsubscribe')!)![1]!
  expect(text).toContain(link)
  const isOn = async () =>
    (await bea.from('notification_preferences').select('mail').eq('workspace_id', workspace).maybeSingle())
      .data?.mail
  const page = await fetch(link)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await page.text()).toContain('<form method="post"')
  expect(await isOn()).not.toBe(false)
  expect((await fetch(`${link}x`, { method: 'POST' })).status).toBe(403)
  expect(await isOn()).not.toBe(false)
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  expect((await fetch(link, { method: 'POST', body })).status).toBe(200)
  expect(await isOn()).toBe(false)
  await send(`Anybody ${mention}?`)
  await passMinutes(61)
  await isEmpty()
  expect(smtp.accepted).toHaveLength(1)
  const { error } = await bea
    .from('notification_preferences')
    .update({ mail: true, mail_language: 'de' })
    .eq('workspace_id', workspace)
  expect(error).toBeNull()
})

it('repeats what the mail server refuses for now, and never what it may have accepted', async () => {
  smtp.faults.push({ at: 'END', answer: '451 later' })
  await send(`Hello ${mention}`)
  await passMinutes(61)
  await until(async () => {
    const { rows } = await db.query(`select error from public.jobs where kind = 'mail' and error is not null`)
    expect(rows).toEqual([{ error: 'EMESSAGE DATA 451' }])
  })
  await passMinutes(1)
  const mail = await received()
  // Bea has chosen German.
  expect(part(mail, 'text/plain')).toContain('hat dich in #front-desk erwähnt')

  smtp.accepted.length = 0
  smtp.faults.push({ afterAccepting: true })
  await send(`Hello ${mention}`)
  await passMinutes(61)
  await received()
  await passMinutes(61)
  await isEmpty()
  expect(smtp.accepted).toHaveLength(1)
})

it('sends nothing that was read or deleted, and nothing to somebody who has opened Linnet since', async () => {
  const deleted = await send(`Hello ${mention}`)
  await passMinutes(10)
  await call(ann, 'delete_message', { id: deleted })
  await passMinutes(61)
  await isEmpty()
  await send(`Hello ${mention}`)
  await passMinutes(10)
  await call(bea, 'heartbeat', { workspace, state: 'active' })
  await passMinutes(61)
  await isEmpty()
  expect(smtp.accepted).toEqual([])
})

it('only the database starts sending', async () => {
  const url = `${backend.url}/functions/v1/notification-mail`
  expect(await (await fetch(url)).json()).toEqual({ available: true })
  for (const secret of ['', 'guessed']) {
    const headers = { 'x-linnet-task': secret }
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(403)
  }
  expect((await fetch(url, { method: 'POST' })).status).toBe(403)
})

it('mails 60 invitations, each with a link that signs its recipient in and opens the invitation', async () => {
  const emails = Array.from({ length: 60 }, (_, n) => `pupil${n}@school.example`)
  await call(ann, 'invite_by_mail', { workspace, emails, role: 'member', channels: [channel] })
  await smtp.waitForMails(60)
  expect(smtp.accepted.map(({ recipients }) => recipients.join()).toSorted()).toEqual(
    emails.map((email) => `RCPT TO:<${email}>`).toSorted(),
  )
  await until(async () => {
    const { invitations } = await call(ann, 'list_invitations', { workspace, limit: 100 })
    expect(invitations.filter(({ mail }) => mail === 'sent')).toHaveLength(60)
  })
  const withCode = smtp.accepted.filter((mail) => /\b\d{6}\b/.test(part(mail, 'text/plain')))
  expect(withCode).toHaveLength(60)
  for (const mail of smtp.accepted.slice(0, 2)) {
    expect(header(mail, 'Subject')).toBe('Ann Okafor invited you to Harbour Street')
    const link = new URL(/https?:\/\/\S+/.exec(part(mail, 'text/plain'))![0])
    expect(mail.recipients[0]).toContain(decodeURIComponent(link.hash.slice(1)))
    const pupil = clientOf(backend)
    const { data, error } = await pupil.auth.verifyOtp({
      type: link.searchParams.get('type') as 'email',
      token_hash: link.searchParams.get('token_hash')!,
    })
    expect(error).toBeNull()
    const token = new URLSearchParams(link.searchParams.get('next')!.split('?')[1]).get('invitation')!
    expect(JSON.stringify(data.user)).not.toContain(token)
    await call(pupil, 'accept_invitation', { token, person_name: 'Pupil' })
  }
  const { invitations } = await call(ann, 'list_invitations', { workspace, limit: 100 })
  expect(invitations.filter(({ email }) => email !== null)).toHaveLength(58)
})
