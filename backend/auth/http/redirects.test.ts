import { describe, expect, it } from 'vitest'
import { chooseRedirect, globToRegExp, isAllowedRedirect } from './redirects.ts'

describe('globToRegExp', () => {
  it.each([
    ['https://*.example.com/*', 'https://a.example.com/x', true],
    ['https://*.example.com/*', 'https://a.b.example.com/x', false],
    ['https://*.example.com/*', 'https://a.example.com/x/y', false],
    ['https://example.com/**', 'https://example.com/x/y?z=1', true],
    ['https://example.com/v?', 'https://example.com/v2', true],
    ['https://example.com/v?', 'https://example.com/v/', false],
    ['https://{app,api}.example.com', 'https://api.example.com', true],
    ['https://{app,api}.example.com', 'https://web.example.com', false],
    ['https://pr-[0-9].example.com', 'https://pr-7.example.com', true],
    ['https://pr-[!0-9].example.com', 'https://pr-7.example.com', false],
    ['https://a.example.com', 'https://axexample.com', false],
    ['https://**', 'https://any.example/where?x', true],
    ['https://**/back', 'https://a.b.example/back', true],
    ['https://**/back', 'https://evil.example/x/back', false],
    ['http://localhost:*', 'http://localhost:3000', true],
    ['https://a?.example', 'https://a?.example', false],
    ['**', 'linnet://any/where', true],
    ['app+x://back', 'app+x://back', true],
    ['http://localhost:[', 'http://localhost:[', true],
  ])('%s and %s: %s', (glob, url, matches) => {
    expect(globToRegExp(glob).test(url)).toBe(matches)
  })
})

describe('isAllowedRedirect', () => {
  const site = 'https://chat.example.com'
  const listed = [
    'https://*.friends.example/**',
    'https://**.wide.example/**',
    'https://app.example/back/**',
    'http://10.0.0.5/**',
    'linnet://back',
    'http://localhost:3000',
  ]
  const allowed = listed.map(globToRegExp)

  /** Our result, and that of hosted Supabase where it differs. */
  const addresses: [address: string, ours: boolean, hosted?: boolean][] = [
    // The site itself.
    ['https://chat.example.com', true],
    ['https://chat.example.com/any/where?x=1#y', true],
    ['https://CHAT.example.com/', true, false],
    ['https://chat.example.com:443/', true, false],
    ['https://chat.example.com:8443/', false],
    ['http://chat.example.com/', false],
    ['https://chat.example.com./', false],
    ['https://chat.example.com.evil.example/', false],
    ['https://chat.example.com@evil.example/', false],
    ['https://user:pass@chat.example.com/', false, true],
    ['https://evil.example/https://chat.example.com', false],
    ['https://evil.example\\@chat.example.com/', false],
    ['https://chat。example。com/', false],
    ['https://chat%2eexample.com/', false],
    ['https://chat.example.com%00.evil.example/', false],
    ['https://chat.example.com%2f@evil.example/', false],
    ['https://chat.example.com\t.evil.example/', false],
    ['https://chat.example.com/\r\nSet-Cookie: a=b', false],
    ['https://chat.example.com/%zz', false],
    [' https://chat.example.com/', false],
    ['https:chat.example.com/x', false],
    ['https:/chat.example.com/x', false],
    ['https:///chat.example.com/x', false],
    ['https:\\\\evil.example', false],
    ['//chat.example.com', false],
    ['/relative', false],
    ['', false],
    // Listed addresses.
    ['https://a.friends.example/x/y', true],
    ['https://a.b.friends.example/x', false],
    ['https://friends.example/x', false],
    ['https://user:pass@a.friends.example/x', false, true],
    ['https://evil.example/.friends.example/x', false],
    ['https://evil.example?.friends.example/x', false],
    ['https://evil.example#.friends.example/x', false],
    ['https://evil?.friends.example/x', false, true],
    ['https://evil\u0000.friends.example/x', false],
    ['https://a_b.friends.example/x', false],
    ['https://-a.friends.example/x', false],
    ['https://a.b.wide.example/x', true],
    ['https://evil.example/x.wide.example/', false, true],
    ['https://app.example/back/', true],
    ['https://app.example/back/x?next=../..', true],
    ['https://app.example/back/..;/x', true],
    ['https://app.example/back/../admin', false, true],
    ['https://app.example/back/%2e%2E/admin', false, true],
    ['https://app.example/back/..', false, true],
    ['https://app.example/back', false],
    ['https://app.example/backup', false],
    ['https://app.example:444/back/x', false],
    ['https://APP.example/back/x', false],
    ['https://app.example./back/x', false],
    ['https://app。example/back/x', false],
    ['https://\u0430pp.example/back/x', false],
    // IP addresses.
    ['http://127.0.0.1:9/', true],
    ['https://127.0.0.1/', true],
    ['http://[::1]:9/', true],
    ['http://[0:0:0:0:0:0:0:1]/', true],
    ['http://[::ffff:127.0.0.1]/', false, true],
    ['http://[fe80::1%25eth0]/', false],
    ['http://127.0.0.1@evil.example/', false],
    ['http://127.0.0.1.evil.example/', false],
    ['http://127.1/', false],
    ['http://0x7f.1/', false],
    ['http://2130706433/', false],
    ['http://017700000001/', false],
    ['http://0.0.0.0/', false],
    ['http://192.168.0.1/', false],
    ['http://10.0.0.5/listed', false],
    // Loopback names, and schemes of native applications.
    ['http://localhost:3000', true],
    ['http://localhost:3000/x', false],
    ['http://localhost:3001', false],
    ['http://localhost/', false],
    ['linnet://back', true],
    ['linnet://BACK', false],
    ['linnet://back/further', false],
    ['linnet:back', false],
    ['linnet://127.0.0.1/x', false, true],
    ['javascript://127.0.0.1/%0aalert(1)', false, true],
    ['javascript:alert(1)//chat.example.com', false],
    ['data:text/html,x', false],
    ['blob:https://chat.example.com/x', false],
    ['about:blank', false],
  ]
  it.each(addresses)('%j: %s', (address, ours) => {
    expect(isAllowedRedirect(address, site, allowed)).toBe(ours)
  })

  it('is stricter than hosted Supabase, except for two spellings of the site itself', () => {
    const looser = addresses.filter(([, ours, hosted]) => ours && hosted === false)
    expect(looser.map(([address]) => new URL(address).origin)).toEqual([site, site])
  })

  it('allows any loopback port if the site is on a loopback address', () => {
    const local = 'http://127.0.0.1:4280'
    for (const url of [
      'http://127.0.0.1:9999/x',
      'http://localhost:3000',
      'http://[::1]:5000/',
      'https://127.0.0.1/',
    ]) {
      expect([url, isAllowedRedirect(url, local, [])]).toEqual([url, true])
    }
    for (const url of [
      'http://192.168.0.1/',
      'http://127.0.0.1.evil.example/',
      'http://localhost.evil.example',
    ]) {
      expect([url, isAllowedRedirect(url, local, [])]).toEqual([url, false])
    }
  })
})

it('falls back to the site', () => {
  const site = 'https://chat.example.com'
  expect(chooseRedirect([undefined, '', 'https://evil.example'], site, [])).toBe(site)
  expect(chooseRedirect(['https://evil.example', `${site}/join`], site, [])).toBe(`${site}/join`)
})
