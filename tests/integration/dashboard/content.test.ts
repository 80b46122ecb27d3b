import { afterAll, beforeAll, expect, it } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import { sendRequest } from './sendRequest.ts'
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
  sendRequest(`${backend.dashboard}${page}`, {
    method: 'POST',
    headers: { origin: new URL(backend.dashboard).origin },
  })

/** The visible text of a page, with single spaces. */
async function read(page: string, how = sendRequest(`${backend.dashboard}${page}`)): Promise<string> {
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

it('warns of insecure tables, views, policies and functions, urgent ones first', async () => {
  const text = await read('')
  const urgent = text.slice(0, text.indexOf('more warnings'))
  expect(urgent).toContain(
    'Row security is off for public.open_notes, and anyone with the public key can read and update every row.',
  )
  expect(text).toContain('The view public.all_notes reads with its owner’s privileges')
  expect(text).toContain(
    '“anyone may write” allows anyone with the public key to insert any row of public.visits.',
  )
  expect(text).toContain('The function public.shout runs with its owner’s privileges')
  for (const fine of ['shut_notes', 'own_notes', 'whisper', 'public.large']) expect(text).not.toContain(fine)
})

it('shows tables with their access, exact counts of small ones and estimates of large ones', async () => {
  const text = await read('tables')
  expect(text).toMatch(/visits On 2 policies read, insert read, insert 1,234 /)
  expect(text).toMatch(/open_notes Off read, update – 0 /)
  expect(text).toMatch(/shut_notes On no policies: no access – – 0 /)
  expect(text).toMatch(/large On no policies: no access – – about 6,000 \d/)
  expect(text).toContain('جدول المواعيد')
  const found = await read('tables?search=VISIT')
  expect(found).toContain('visits On')
  expect(found).not.toContain('open_notes')
})

it('shows the details of a table, and counts its rows on request', async () => {
  const text = await read('table?schema=public&name=visits')
  expect(text).toContain('Permissive select, for public')
  expect(text).toContain("(patient <> '<img src=x onerror=alert(1)>'::text)")
  expect(text).toContain('timestamp with time zone not null')
  expect(await read('table?schema=public&name=large')).toContain('about 6,000')
  expect(await read('', press('table?schema=public&name=large'))).toMatch(/Rows 6,000/)
  for (const name of ['nothing', "x'; drop table visits; --", ''])
    expect(
      (await sendRequest(`${backend.dashboard}table?schema=public&name=${encodeURIComponent(name)}`)).status,
    ).toBe(404)
})

it('finds users, page by page, and never shows credentials', async () => {
  const first = await read('users')
  expect(first).toContain('120 users')
  expect(first).toContain('person1@example.com')
  expect(first).not.toContain('person51@example.com')
  expect(await read('users?page=2')).toContain('person51@example.com')
  expect(await read('users?search=person77')).toContain('person77@example.com')
  expect(await read('users?search=%25')).toContain('No users match “%”')
  expect(await read('users?page=-3')).toContain('person1@example.com')
  const { text } = await sendRequest(`${backend.dashboard}users?search=person1%40`)
  const id = /user\?id=([\da-f-]{36})/.exec(text)![1]!
  const user = await read(`user?id=${id}`)
  expect(user).toContain('192.0.2.7')
  expect(user).not.toContain('NEVER-SHOW-THIS')
  expect((await sendRequest(`${backend.dashboard}user?id=${id.replace(/^./, 'g')}`)).status).toBe(404)
})

it('shows buckets, functions of both kinds, jobs, migrations and settings', async () => {
  expect(await read('files')).toMatch(/pictures Anyone with the URL 2 2 KB any file/)
  const routines = await read('routines')
  expect(routines).toMatch(/shout \(words text\) Louder\. .* anyone with the public key its owner text/)
  expect(routines).toMatch(/whisper \(\) secret keys only the caller text/)
  expect(await read('functions')).toMatch(/hello public .*\/functions\/v1\/hello/)
  expect(await read('jobs')).toContain('No jobs yet.')
  expect(await read('migrations')).toMatch(/1 applied\..* 20240101000000 clinic applied/)
  expect(await read('settings')).toContain(project.dir)
})

/** The search result and the id of a user, by email address. */
async function find(address: string): Promise<{ page: string; id: string }> {
  const { text } = await sendRequest(`${backend.dashboard}users?search=${encodeURIComponent(address)}`)
  return { page: text, id: /user\?id=([\da-f-]{36})/.exec(text)![1]! }
}

it('removes the second factors of an account after confirmation, and ends its sessions', async () => {
  const { page, id } = await find('person3@example.com')
  expect(page).toContain('Remove second factors')
  const bare = await find('person4@example.com')
  expect(bare.page).not.toContain('Remove second factors')

  // Opening the page changes nothing. An unverified factor is not listed.
  expect(await read(`factors?id=${id}`)).toMatch(
    /Authenticator app <img [^ ]* onerror=alert\(1\)>verified .*Remove second factor/,
  )
  expect(await read(`user?id=${id}`)).not.toContain('No sessions.')

  expect(await read('', press(`factors?id=${id}`))).toContain(
    'The second factor was removed, and the user was signed out',
  )
  const after = await read(`user?id=${id}`)
  expect(after).toContain('No sessions.')
  expect(after).not.toContain('Remove second factors')
  expect(after).not.toContain('totp')
  // Other users keep theirs; a second removal does nothing; unknown users are 404.
  expect((await find('person1@example.com')).page).toContain('Remove second factors')
  expect(await read(`user?id=${bare.id}`)).not.toContain('No sessions.')
  expect(await read('', press(`factors?id=${id}`))).toContain('There was no second factor to remove.')
  expect(await read(`factors?id=${id}`)).toContain('There is no second factor to remove.')
  for (const none of [crypto.randomUUID(), 'x', ''])
    expect((await press(`factors?id=${none}`)).status).toBe(404)

  const audit = await fetch(`${backend.url}/auth/v1/admin/audit?query=action:factor_deleted`, {
    headers: { apikey: backend.secretKey },
  })
  const lines = (await audit.json()) as { payload: { traits: { user_id: string } } }[]
  expect(lines.map(({ payload }) => payload.traits.user_id)).toEqual([id, id])
})

it('escapes all user-defined names', async () => {
  const { text: users } = await sendRequest(`${backend.dashboard}users?search=person1%40`)
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
    const { status, text } = await sendRequest(`${backend.dashboard}${page}`)
    expect([page, status]).toEqual([page, 200])
    const own =
      text.slice(0, text.indexOf('<style>')) +
      text.slice(text.indexOf('</style>'), text.lastIndexOf('<script>'))
    const markup = own.match(/<img|<script|onerror=[^&]*"/g)
    expect([page, markup, text.match(/<script/g)?.length]).toEqual([page, null, 1])
  }
  // Check that the name is on the page at all.
  const { text } = await sendRequest(`${backend.dashboard}tables`)
  expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
})

it('sends pages of less than 60 KB without external resources', async () => {
  const sizes = await Promise.all(
    ['', 'tables', 'users', 'settings'].map(
      async (page) => (await sendRequest(`${backend.dashboard}${page}`)).text,
    ),
  )
  for (const text of sizes) {
    expect(text.length).toBeLessThan(60_000)
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\/(?!127\.0\.0\.1)/)
  }
})

it('shows an error of the database as a sentence, and continues', async () => {
  const blocked = await sendRequest(`${backend.dashboard}users?page=1&search=${'%00'}`)
  expect(blocked.status).toBe(503)
  expect(blocked.text).toContain('The database returned an error')
  expect(await read('users')).toContain('120 users')
})

it('the server stops at once while a client follows the log', async () => {
  const { body } = await fetch(`${backend.dashboard}logs/stream`)
  const reader = body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^event: start\n/)
  const ended = backend.stop()
  // The stream ended cleanly: otherwise reading would reject.
  while (!(await reader.read()).done);
  await ended
})
