import { afterAll, beforeAll, expect, it } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import { ask } from './ask.ts'
import { evil, writeHostileProject } from './hostileProject.ts'

const project = writeHostileProject()
let backend: Backend
beforeAll(async () => {
  backend = await startBackend({ supabase: project.dir })
})
afterAll(async () => {
  await backend?.stop()
  project.remove()
})

const press = (page: string) =>
  ask(`${backend.dashboard}${page}`, {
    method: 'POST',
    headers: { origin: new URL(backend.dashboard).origin },
  })

/** The text of a page as a reader meets it, with single spaces. */
async function read(page: string, how = ask(`${backend.dashboard}${page}`)): Promise<string> {
  const { status, text } = await how
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return text
    .slice(text.indexOf('<main'), text.indexOf('<script>'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ')
}

it('warns of what is open, the urgent first, and not of what is shut', async () => {
  const text = await read('')
  const urgent = text.slice(0, text.indexOf('things to know'))
  expect(urgent).toContain(
    'Row security is off for public.open_notes, and anyone who has the public key may read and update every row.',
  )
  expect(text).toContain('The view public.all_notes reads with its owner’s rights')
  expect(text).toContain(
    '“anyone may write” lets anyone who has the public key insert any row of public.visits.',
  )
  expect(text).toContain('The function public.shout runs with its owner’s rights')
  for (const fine of ['shut_notes', 'own_notes', 'whisper', 'public.large']) expect(text).not.toContain(fine)
})

it('shows tables with what guards them; small ones counted, large ones estimated', async () => {
  const text = await read('tables')
  expect(text).toMatch(/visits On 2 policies read, insert read, insert 1,234 /)
  expect(text).toMatch(/open_notes Off read, update – 0 /)
  expect(text).toMatch(/shut_notes On no policies: closed – – 0 /)
  expect(text).toMatch(/large On no policies: closed – – about 6,000 \d/)
  expect(text).toContain('جدول المواعيد')
  const found = await read('tables?search=VISIT')
  expect(found).toContain('visits On')
  expect(found).not.toContain('open_notes')
})

it('shows one table whole, and counts it when asked', async () => {
  const text = await read('table?schema=public&name=visits')
  expect(text).toContain('Allows select, for public')
  expect(text).toContain("(patient <> '<img src=x onerror=alert(1)>'::text)")
  expect(text).toContain('timestamp with time zone not null')
  expect(await read('table?schema=public&name=large')).toContain('about 6,000')
  expect(await read('', press('table?schema=public&name=large'))).toMatch(/Rows 6,000/)
  for (const name of ['nothing', "x'; drop table visits; --", ''])
    expect(
      (await ask(`${backend.dashboard}table?schema=public&name=${encodeURIComponent(name)}`)).status,
    ).toBe(404)
})

it('finds users, page by page, and never shows what lets one in as them', async () => {
  const first = await read('users')
  expect(first).toContain('120 in all')
  expect(first).toContain('person1@example.com')
  expect(first).not.toContain('person51@example.com')
  expect(await read('users?page=2')).toContain('person51@example.com')
  expect(await read('users?search=person77')).toContain('person77@example.com')
  expect(await read('users?search=%25')).toContain('Nobody is found by “%”')
  expect(await read('users?page=-3')).toContain('person1@example.com')
  const { text } = await ask(`${backend.dashboard}users?search=person1%40`)
  const id = /user\?id=([\da-f-]{36})/.exec(text)![1]!
  const user = await read(`user?id=${id}`)
  expect(user).toContain('192.0.2.7')
  expect(user).not.toContain('NEVER-SHOW-THIS')
  expect((await ask(`${backend.dashboard}user?id=${id.replace(/^./, 'g')}`)).status).toBe(404)
})

it('shows buckets, functions of both kinds, jobs, migrations and settings', async () => {
  expect(await read('files')).toMatch(/pictures Everyone, by its address 2 2 KB any file/)
  const routines = await read('routines')
  expect(routines).toMatch(/shout \(words text\) Louder\. .* anyone with the public key its owner text/)
  expect(routines).toMatch(/whisper \(\) service keys alone the caller text/)
  expect(await read('functions')).toMatch(/hello everyone .*\/functions\/v1\/hello/)
  expect(await read('jobs')).toContain('No jobs yet.')
  expect(await read('migrations')).toMatch(/1 applied\..* 20240101000000 clinic applied/)
  expect(await read('settings')).toContain(project.dir)
})

/** The page and the id of somebody, by their address. */
async function find(address: string): Promise<{ page: string; id: string }> {
  const { text } = await ask(`${backend.dashboard}users?search=${encodeURIComponent(address)}`)
  return { page: text, id: /user\?id=([\da-f-]{36})/.exec(text)![1]! }
}

it('takes second steps off an account once that is confirmed, and ends its sessions', async () => {
  const { page, id } = await find('person3@example.com')
  expect(page).toContain('Take off second steps')
  const bare = await find('person4@example.com')
  expect(bare.page).not.toContain('Take off second steps')

  // Looking changes nothing; the one that was never finished is none.
  expect(await read(`factors?id=${id}`)).toMatch(
    /Authenticator app <img [^ ]* onerror=alert\(1\)>verified .*Take it off/,
  )
  expect(await read(`user?id=${id}`)).not.toContain('Signed in nowhere.')

  expect(await read('', press(`factors?id=${id}`))).toContain(
    'The second step is taken off, and they are signed out',
  )
  const after = await read(`user?id=${id}`)
  expect(after).toContain('Signed in nowhere.')
  expect(after).not.toContain('Take off second steps')
  expect(after).not.toContain('totp')
  // Nobody else's, nothing twice, and nobody who isn't there.
  expect((await find('person1@example.com')).page).toContain('Take off second steps')
  expect(await read(`user?id=${bare.id}`)).not.toContain('Signed in nowhere.')
  expect(await read('', press(`factors?id=${id}`))).toContain('There was no second step to take off.')
  expect(await read(`factors?id=${id}`)).toContain('There is no second step to take off.')
  for (const none of [crypto.randomUUID(), 'x', ''])
    expect((await press(`factors?id=${none}`)).status).toBe(404)

  const audit = await fetch(`${backend.url}/auth/v1/admin/audit?query=action:factor_deleted`, {
    headers: { apikey: backend.secretKey },
  })
  const lines = (await audit.json()) as { payload: { traits: { user_id: string } } }[]
  expect(lines.map(({ payload }) => payload.traits.user_id)).toEqual([id, id])
})

it('writes no name of a stranger as markup', async () => {
  const { text: users } = await ask(`${backend.dashboard}users?search=person1%40`)
  const id = /user\?id=([\da-f-]{36})/.exec(users)![1]!
  const search = `search=${encodeURIComponent(`"><script>alert(4)</script>${evil}`)}`
  const named = `name=${encodeURIComponent(evil)}`
  const pages = [
    '',
    'tables',
    `tables?${search}`,
    `table?schema=public&${named}`,
    'table?schema=public&name=visits',
  ]
  pages.push(
    'users',
    `users?${search}`,
    `user?id=${id}`,
    `factors?id=${id}`,
    'files',
    'routines',
    `routines?${search}`,
  )
  pages.push(
    `logs?${search}&level=${encodeURIComponent(evil)}&part=${encodeURIComponent(`function:${evil}`)}`,
  )
  for (const page of [...pages, 'settings', 'migrations', 'functions', 'jobs']) {
    const { status, text } = await ask(`${backend.dashboard}${page}`)
    expect([page, status]).toEqual([page, 200])
    const own =
      text.slice(0, text.indexOf('<style>')) +
      text.slice(text.indexOf('</style>'), text.lastIndexOf('<script>'))
    const markup = own.match(/<img|<script|onerror=[^&]*"/g)
    expect([page, markup, text.match(/<script/g)?.length]).toEqual([page, null, 1])
  }
  // The premise: that name is on these pages.
  const { text } = await ask(`${backend.dashboard}tables`)
  expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
})

it('sends whole pages of less than 60 KB that need nothing from elsewhere', async () => {
  const sizes = await Promise.all(
    ['', 'tables', 'users', 'settings'].map(async (page) => (await ask(`${backend.dashboard}${page}`)).text),
  )
  for (const text of sizes) {
    expect(text.length).toBeLessThan(60_000)
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\/(?!127\.0\.0\.1)/)
  }
})

it('says that the database does not answer in a sentence, and goes on', async () => {
  const blocked = await ask(`${backend.dashboard}users?page=1&search=${'%00'}`)
  expect(blocked.status).toBe(503)
  expect(blocked.text).toContain('The database refused')
  expect(await read('users')).toContain('120 in all')
})

it('lets the house end at once while somebody follows the log', async () => {
  const { body } = await fetch(`${backend.dashboard}logs/stream`)
  const reader = body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^event: start\n/)
  const ended = backend.stop()
  // Ended, not cut off: reading would reject.
  while (!(await reader.read()).done);
  await ended
})
