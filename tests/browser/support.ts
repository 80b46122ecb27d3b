import {
  expect,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from '@playwright/test'
import { appendFileSync, cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createServerClient } from '@supabase/ssr'
import { WebSocket } from 'ws'
import { copyTemplate } from '../../backend/postgres/server/copyTemplate.ts'
import { startServer, temporaryData, type Server } from '../support/server.ts'
import { startSmtp, type SmtpServer } from '../support/startSmtp.ts'

const root = join(import.meta.dirname, '../..')

/** A server with its own data, which can be killed and started again on the same data and port. */
export interface TestInstance {
  server: Server
  /** The mail server that it sends to; null if mails stay in its mailbox. */
  smtp: SmtpServer | null
  /** Kills it with SIGKILL, like a power failure, and restarts it. */
  killAndStart(): Promise<void>
  end(): Promise<void>
}

/**
 * Writes Linnet's schema and settings with higher limits for mails and sign-ins, since all people of a journey use one
 * machine. `settings` is added to linnet.toml: keys of `[auth.email]`, then other tables.
 */
export function supabaseWithHighLimits(
  folder: string,
  smtp: SmtpServer | null = null,
  settings = '',
): string {
  const dir = join(folder, 'supabase')
  cpSync(join(root, 'supabase'), dir, {
    recursive: true,
    filter: (path) => !/[/\\](seed\.sql|demo|tests)$/.test(path),
  })
  // The modules that functions import.
  for (const name of ['app', 'backend', 'wire', 'node_modules'])
    symlinkSync(join(root, name), join(folder, name))
  const own = join(dir, 'linnet.toml')
  const limits = '[auth.rate_limit]\nsign_in_sign_ups = 1000\ntoken_verifications = 1000\nemail_sent = 1000\n'
  const mailServer = smtp
    ? `[auth.email.smtp]\nhost = "127.0.0.1"\nport = ${smtp.port}\nadmin_email = "chat@harbour.example"\nsender_name = "Linnet"\n`
    : ''
  appendFileSync(own, `${limits}${mailServer}[auth.email]\nmax_frequency = "0s"\n${settings}`)
  return dir
}

/** Starts a server with Linnet's own schema, and `settings` as `supabaseWithHighLimits` takes them. `args` are added to the command line. */
export async function startTestInstance(
  o: { sendsMail?: boolean; settings?: string; args?: string[] } = {},
): Promise<TestInstance> {
  const serverEnded = await closeEarlierPages()
  const smtp = o.sendsMail ? await startSmtp() : null
  const data = temporaryData()
  await copyTemplate('unclaimed', data.dir, async (dataDir) => {
    await (await startServer({ root, dataDir, args: ['--no-app'] })).end('SIGTERM')
  })
  const supabase = temporaryData()
  const settings = [
    '--app',
    '--supabase',
    supabaseWithHighLimits(supabase.dir, smtp, o.settings),
    ...(o.args ?? []),
  ]
  const first = await startServer({ root, dataDir: data.dir, args: settings })
  const instance: TestInstance = {
    server: first,
    smtp,
    async killAndStart() {
      const { port } = new URL(instance.server.url)
      await instance.server.end('SIGKILL')
      instance.server = await startServer({ root, dataDir: data.dir, args: [...settings, '--port', port] })
    },
    async end() {
      await instance.server.end('SIGTERM')
      serverEnded()
      await smtp?.stop()
      data.remove()
      supabase.remove()
    },
  }
  return instance
}

/** Records console messages that must not occur during a journey. */
function watchConsole(context: BrowserContext, faults: string[], allowed: RegExp[] = []): void {
  context.on('console', (message) => {
    const line = `${message.text()} (${message.location().url})`
    if (message.type() === 'error' && !allowed.some((pattern) => pattern.test(line))) faults.push(line)
  })
  context.on('weberror', (event) => {
    const error = event.error()
    faults.push(error.stack || `${error.name}: ${error.message} (${event.page()?.url()})`)
  })
}

/** Options of a context on a laptop. */
export const laptopScreen = { viewport: { width: 1440, height: 900 } }

/** Options of a context on a phone. */
export const phoneScreen = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const contexts: BrowserContext[] = []
let runningServers = 0

/**
 * Closes the pages of people of earlier journeys. Call it before a journey's server starts, and call the returned
 * function once the server has ended. Open pages would try to reach their servers, and be drawn, until the last
 * journey ends. They stay open until this call so that a failed journey has its screenshots.
 */
export async function closeEarlierPages(): Promise<() => void> {
  runningServers += 1
  if (runningServers === 1) await Promise.all(contexts.splice(0).map((context) => context.close()))
  return () => {
    runningServers -= 1
  }
}

/**
 * Creates a person with their own browser context, which is closed when a later journey begins. Service workers are
 * blocked unless the journey allows them, as in private windows of some browsers. Each worker would store the whole
 * build for its context, which took a third of the processor time of most journeys.
 */
export async function person(
  browser: Browser,
  faults: string[],
  options: BrowserContextOptions & { allowed?: RegExp[] } = {},
): Promise<Page> {
  const { allowed, ...rest } = options
  const context = await browser.newContext({ serviceWorkers: 'block', ...rest })
  contexts.push(context)
  watchConsole(context, faults, allowed)
  return context.newPage()
}

/** Returns the plain text of a mail that an SMTP server has received. */
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

/** A server, and the mail server that it sends to; without one, mails stay in its mailbox. */
type Mailing = Pick<TestInstance, 'server'> & Partial<Pick<TestInstance, 'smtp'>>

/** Returns the texts of all mails to `address`, newest first. */
async function mailTextsTo(instance: Mailing, address: string): Promise<string[]> {
  if (instance.smtp) {
    const texts = instance.smtp.accepted.filter(({ recipients }) =>
      recipients.join(' ').includes(`<${address}>`),
    )
    return texts.map(({ data }) => textOf(data)).toReversed()
  }
  const response = await fetch(`${instance.server.mailbox}/messages`)
  const mails = (await response.json()) as { to: string; text: string }[]
  return mails.filter(({ to }) => to === address).map(({ text }) => text)
}

interface Mail {
  text: string
  link: string
  code: string
}

/** Returns the mails to `address` with a link or code, newest first. Notices have neither. */
export async function mailsTo(instance: Mailing, address: string): Promise<Mail[]> {
  return (await mailTextsTo(instance, address)).flatMap((text) => {
    const link = /https?:\/\/\S+/.exec(text)
    const code = /\b\d{6}\b/.exec(text)
    return link && code ? [{ text, link: link[0], code: code[0] }] : []
  })
}

/**
 * Waits until there are more than `alreadyReceived` mails with a link and a code to `address`, and returns the
 * newest.
 */
export async function nextMail(instance: Mailing, address: string, alreadyReceived: number): Promise<Mail> {
  let mails: Mail[] = []
  await expect
    .poll(async () => {
      mails = await mailsTo(instance, address)
      return mails.length
    })
    .toBeGreaterThan(alreadyReceived)
  return mails[0]!
}

/** Returns the composer of a channel. */
export const composerOf = (page: Page, channelName: string): ReturnType<Page['getByRole']> =>
  page.getByRole('textbox', { name: `Message ${channelName}` })

/** Lets message fields of a page show Markdown as it is typed. Call it before the page is opened. */
export async function writeMarkdownSource(page: Page): Promise<void> {
  await page.addInitScript(
    `if (location.protocol !== 'about:') localStorage.setItem('linnet.markdown-source', 'true')`,
  )
}

/** Waits until a message field displays a text: as a text area, or as an editable element. */
export async function expectText(field: Locator, text: string): Promise<void> {
  const read = () =>
    field.evaluate(({ value, innerText }: { value?: string; innerText: string }) =>
      (value ?? innerText).replaceAll('\u00A0', ' ').trimEnd(),
    )
  await expect.poll(read).toBe(text.trimEnd())
}

/** Sends a message and waits until it is in the list and the composer is empty. */
export async function sendMessage(page: Page, channelName: string, text: string): Promise<void> {
  await composerOf(page, channelName).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(messageOf(page, channelName, text)).toBeVisible()
  await expectText(composerOf(page, channelName), '')
}

/** Returns the message with this text in the list of a conversation. */
export const messageOf = (page: Page, channelName: string, text: string): ReturnType<Page['getByText']> =>
  page.getByLabel(`Messages in ${channelName}`).getByText(text, { exact: true })

/** Ann fills in the setup form and requests the email. */
export async function requestSetupMail(page: Page, instance: TestInstance): Promise<void> {
  await page.goto(instance.server.setupUrl!)
  await page.getByLabel('Your name').fill('Ann Okafor')
  await page.getByLabel('Email address').fill('ann@harbour.example')
  await page.getByLabel('Workspace name').fill('Harbour Street')
  await page.getByLabel('First channel').fill('front-desk')
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Ann opens the setup link, becomes the owner and names workspace and channel; she enters the code of the email. */
export async function setUp(page: Page, instance: TestInstance): Promise<void> {
  await requestSetupMail(page, instance)
  await page.getByLabel('6-digit code').fill((await nextMail(instance, 'ann@harbour.example', 0)).code)
  await page.getByRole('button', { name: 'Continue' }).click()
  if (!instance.smtp) await skipSignInOffer(page)
  await expect(composerOf(page, '#front-desk')).toBeVisible()
}

/** A virtual authenticator, which confirms each request. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
}

/** Skips the offer of a password, which newcomers get from a server without a mail server. */
export async function skipSignInOffer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Skip' }).click()
  const dialog = page.getByRole('dialog', { name: 'Skip this?' })
  await expect(dialog.getByText('only the server’s administrator can let you back in')).toBeVisible()
  await dialog.getByRole('button', { name: 'Skip' }).click()
}

/** Goes to a path of the app as its links do: loading the page again would take most of a second of the processor. */
export const goTo = (page: Page, path: string): Promise<void> =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)

/** Opens the invitation dialog. */
export async function openInvite(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Workspace menu' }).click()
  await page.getByRole('menuitem', { name: 'Invite people' }).click()
}

/** Opens the settings, which show no conversation. */
export async function openSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Workspace menu' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await expect(page.getByRole('navigation', { name: 'Settings' })).toBeVisible()
}

/** Creates an invitation link and returns it. */
export async function inviteByLink(ann: Page): Promise<string> {
  await openInvite(ann)
  await ann.getByRole('button', { name: 'Create link' }).click()
  const link = await ann.getByLabel('Invitation link').inputValue()
  await ann.keyboard.press('Escape')
  return link
}

/** A workspace with the people, channels and messages of the demo. */
export interface Demo {
  server: Server
  /** The part of all email addresses after the @. */
  domain: string
  /** Ends what only this workspace uses. */
  end(): Promise<void>
}

/** The address of a person of the demo. */
export const emailOf = ({ domain }: Demo, nick: string): string => `${nick}@${domain}`

/** The token of an emailed sign-in link. */
export async function createSignInToken(server: Server, email: string): Promise<string> {
  const response = await fetch(`${server.url}/auth/v1/admin/generate_link`, {
    method: 'POST',
    headers: { apikey: server.secretKey, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'magiclink', email }),
  })
  return ((await response.json()) as { hashed_token: string }).hashed_token
}

/**
 * Signs in a person of the demo and opens the app at `path`; `site` is where it is served. The API creates the session, since
 * the page of an emailed link would be loaded in addition.
 */
export async function enterDemo(
  page: Page,
  demo: Demo,
  nick: string,
  path = '/',
  site = demo.server.url,
): Promise<void> {
  const { server } = demo
  const { installation } = (await (await fetch(`${site}/linnet.json`)).json()) as { installation: string }
  const cookies = new Map<string, string>()
  const client = createServerClient(server.url, server.publishableKey, {
    cookieOptions: { name: `sb-${installation}-auth-token` },
    cookies: {
      getAll: () => [...cookies].map(([name, value]) => ({ name, value })),
      setAll: (changed) => {
        for (const { name, value } of changed) cookies.set(name, value)
      },
    },
    // Node 20 has no WebSocket of its own.
    realtime: { transport: WebSocket as never },
  })
  const token_hash = await createSignInToken(server, emailOf(demo, nick))
  const { error } = await client.auth.verifyOtp({ type: 'email', token_hash })
  if (error) throw error
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: site })))
  await page.goto(`${site}${path}`)
}

/**
 * Signs in a person of the demo on a laptop and a phone, and returns the pages. `allowed` are expected errors of
 * either page.
 */
export async function enterOnTwoDevices(
  browser: Browser,
  faults: string[],
  demo: Demo,
  nick: string,
  allowed: RegExp[] = [],
): Promise<{ laptop: Page; phone: Page }> {
  const laptop = await person(browser, faults, { ...laptopScreen, allowed })
  const phone = await person(browser, faults, { ...phoneScreen, allowed })
  await enterDemo(laptop, demo, nick)
  await enterDemo(phone, demo, nick)
  return { laptop, phone }
}

/** Opens a channel of the sidebar. */
export const openChannel = (page: Page, name: string): Promise<void> =>
  page
    .getByRole('navigation')
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .first()
    .click()

/**
 * Returns the stored rows of the first account on the device, as JSON. A change may be displayed before it is stored,
 * and a page that is left before then loses it.
 */
export const storedOnDevice = (page: Page, store: 'outbox' | 'messages'): Promise<string> =>
  page.evaluate(`(async () => {
    const open = (name) => new Promise((resolve) => {
      indexedDB.open(name).onsuccess = (event) => resolve(event.target.result)
    })
    const name = (await indexedDB.databases()).map((one) => one.name).find((one) => one.startsWith('linnet-'))
    const database = await open(name)
    return new Promise((resolve) => {
      database.transaction('${store}').objectStore('${store}').getAll().onsuccess = (event) => {
        database.close()
        resolve(JSON.stringify(event.target.result))
      }
    })
  })()`)

/**
 * Waits until a closed overlay has left the history. Going back would otherwise end a navigation that starts
 * meanwhile.
 */
export const leaveOverlays = async (page: Page): Promise<void> => {
  // Not by `waitForFunction`: the page's security policy forbids it to evaluate a text again.
  await expect.poll(() => page.evaluate('history.state?.overlay === true')).toBe(false)
}
