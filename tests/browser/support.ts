import {
  expect,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from '@playwright/test'
import { appendFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { startServer, temporaryData, type Server } from '../support/server.ts'
import { startSmtp, type SmtpServer } from '../support/startSmtp.ts'

const root = join(import.meta.dirname, '../..')

/** A server on data of its own, which can be killed and started again on the same data and port. */
export interface House {
  server: Server
  /** The mail server that it sends by; null where mails stay in its mailbox. */
  smtp: SmtpServer | null
  /** Kills it with signal 9, as a power cut would, and starts it again where it was. */
  killAndStart(): Promise<void>
  end(): Promise<void>
}

/**
 * Linnet's own schema and settings, but that one address may be mailed as often as a journey needs it, and all
 * of a journey's people may come from one machine.
 */
function patientSupabase(folder: string, smtp: SmtpServer | null): string {
  const dir = join(folder, 'supabase')
  cpSync(join(root, 'supabase'), dir, {
    recursive: true,
    filter: (path) => !/[/\\](seed\.sql|demo|tests)$/.test(path),
  })
  const own = join(dir, 'linnet.toml')
  const patience =
    '[auth.email]\nmax_frequency = "0s"\n[auth.rate_limit]\nsign_in_sign_ups = 1000\ntoken_verifications = 1000\n'
  appendFileSync(own, patience)
  if (smtp) {
    appendFileSync(
      own,
      `email_sent = 1000\n[auth.email.smtp]\nhost = "127.0.0.1"\nport = ${smtp.port}\nadmin_email = "chat@harbour.example"\nsender_name = "Linnet"\n`,
    )
  }
  return dir
}

export async function openHouse(o: { sendsMail?: boolean } = {}): Promise<House> {
  const smtp = o.sendsMail ? await startSmtp() : null
  const data = temporaryData()
  const supabase = temporaryData()
  const settings = ['--app', '--supabase', patientSupabase(supabase.dir, smtp)]
  const first = await startServer({ root, dataDir: data.dir, args: settings })
  const house: House = {
    server: first,
    smtp,
    async killAndStart() {
      const { port } = new URL(house.server.url)
      await house.server.end('SIGKILL')
      house.server = await startServer({ root, dataDir: data.dir, args: [...settings, '--port', port] })
    },
    async end() {
      await house.server.end('SIGTERM')
      await smtp?.stop()
      data.remove()
      supabase.remove()
    },
  }
  return house
}

/** What the browser's console may never say, gathered over a whole journey. */
export function watchConsole(context: BrowserContext, faults: string[], allowed: RegExp[] = []): void {
  context.on('console', (message) => {
    const line = `${message.text()} (${message.location().url})`
    if (message.type() === 'error' && !allowed.some((pattern) => pattern.test(line))) faults.push(line)
  })
  context.on('weberror', (error) => faults.push(String(error.error().stack ?? error.error())))
}

/** A person in a browser of their own: nothing is shared with another but the server. */
export async function person(
  browser: Browser,
  faults: string[],
  options: BrowserContextOptions & { allowed?: RegExp[] } = {},
): Promise<Page> {
  const { allowed, ...rest } = options
  const context = await browser.newContext(rest)
  watchConsole(context, faults, allowed)
  return context.newPage()
}

/** The plain text of a mail as an SMTP server took it. */
function textOf(data: string): string {
  const part = data.slice(data.search(/^content-type: text\/plain/im))
  const [head = '', ...rest] = part.split('\r\n\r\n')
  const [body = ''] = rest.join('\r\n\r\n').split(/\r\n--/)
  if (/encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/encoding: quoted-printable/i.test(head)) return body
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, byte: string) => String.fromCodePoint(Number.parseInt(byte, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** The texts of all mails to `address`, the newest first. */
async function textsTo(house: House, address: string): Promise<string[]> {
  if (house.smtp) {
    const taken = house.smtp.taken.filter(({ recipients }) => recipients.join(' ').includes(`<${address}>`))
    return taken.map(({ data }) => textOf(data)).toReversed()
  }
  const response = await fetch(`${house.server.mailbox}/messages`)
  const mails = (await response.json()) as { to: string; text: string }[]
  return mails.filter(({ to }) => to === address).map(({ text }) => text)
}

interface Mail {
  text: string
  link: string
  code: string
}

/** The mails to `address` that ask for something, the newest first: a notice brings neither link nor code. */
export async function mailsTo(house: House, address: string): Promise<Mail[]> {
  return (await textsTo(house, address)).flatMap((text) => {
    const link = /https?:\/\/\S+/.exec(text)
    const code = /\b\d{6}\b/.exec(text)
    return link && code ? [{ text, link: link[0], code: code[0] }] : []
  })
}

/** The newest mail with a link and a code to `address`, once there are more than `seen`. */
export async function nextMail(house: House, address: string, seen: number): Promise<Mail> {
  let mails: Mail[] = []
  await expect
    .poll(async () => {
      mails = await mailsTo(house, address)
      return mails.length
    })
    .toBeGreaterThan(seen)
  return mails[0]!
}

/** The box in which one writes to a channel. */
export const composerOf = (page: Page, place: string): ReturnType<Page['getByRole']> =>
  page.getByRole('textbox', { name: `Message ${place}` })

/** Writes a message and sees it stand in the list, and the box empty for the next one. */
export async function say(page: Page, place: string, words: string): Promise<void> {
  await composerOf(page, place).fill(words)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(messageOf(page, place, words)).toBeVisible()
  await expect(composerOf(page, place)).toHaveValue('')
}

/** The message with these words, in the list of a conversation. */
export const messageOf = (page: Page, place: string, words: string): ReturnType<Page['getByText']> =>
  page.getByLabel(`Messages in ${place}`).getByText(words, { exact: true })

/** Ann fills in the form of the set-up link, and has a mail sent to her. */
export async function askForSetUp(page: Page, house: House): Promise<void> {
  await page.goto(house.server.setupUrl!)
  await page.getByLabel('Your name').fill('Ann Okafor')
  await page.getByLabel('Email address').fill('ann@harbour.example')
  await page.getByLabel('Workspace name').fill('Harbour Street')
  await page.getByLabel('First channel').fill('front-desk')
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Ann opens the set-up link, becomes the owner and names workspace and channel; she enters the code of the mail. */
export async function setUp(page: Page, house: House): Promise<void> {
  await askForSetUp(page, house)
  await page.getByLabel('6-digit code').fill((await nextMail(house, 'ann@harbour.example', 0)).code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(composerOf(page, '#front-desk')).toBeVisible()
}

/** Opens the dialog in which one invites. */
export async function openInvite(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Workspace menu' }).click()
  await page.getByRole('menuitem', { name: 'Invite people' }).click()
}

/** Goes to the settings, away from every conversation. */
export async function openSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Workspace menu' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
}

/** Makes a link with which anyone may join, and answers it. */
export async function inviteByLink(ann: Page): Promise<string> {
  await openInvite(ann)
  await ann.getByRole('button', { name: 'Create link' }).click()
  const link = await ann.getByLabel('Invitation link').inputValue()
  await expect(
    ann.getByRole('region', { name: 'Pending invitations' }).getByText('Link', { exact: true }).first(),
  ).toBeVisible()
  await ann.keyboard.press('Escape')
  return link
}

/** Signs in one of the demo's people by a link such as a mail brings; `site` is where the app is served. */
export async function enterDemo(page: Page, server: Server, nick: string, site = server.url): Promise<void> {
  const response = await fetch(`${server.url}/auth/v1/admin/generate_link`, {
    method: 'POST',
    headers: { apikey: server.secretKey, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'magiclink', email: `${nick}@harbour.example` }),
  })
  const { hashed_token: token } = (await response.json()) as { hashed_token: string }
  await page.goto(`${site}/confirm?token_hash=${token}&type=email#${nick}@harbour.example`)
  await page.getByRole('button', { name: 'Continue' }).click()
}
