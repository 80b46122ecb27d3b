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
    ['app+x://back', 'app+x://back', true],
    ['http://localhost:[', 'http://localhost:[', true],
  ])('%s and %s: %s', (glob, url, matches) => {
    expect(globToRegExp(glob).test(url)).toBe(matches)
  })
})

describe('isAllowedRedirect', () => {
  const site = 'https://chat.example.com'
  const allowed = ['https://*.friends.example/**', 'linnet://back', 'http://localhost:3000'].map(globToRegExp)
  it.each([
    ['https://chat.example.com/any/where?x=1#y', true],
    ['https://CHAT.example.com/', true],
    ['https://chat.example.com:8443/', false],
    ['http://chat.example.com/', false],
    ['https://chat.example.com.evil.example/', false],
    ['https://chat.example.com@evil.example/', false],
    ['https://evil.example/https://chat.example.com', false],
    ['https://evil.example\\@chat.example.com/', false],
    ['https:\\\\evil.example', false],
    ['//chat.example.com', false],
    ['/relative', false],
    ['https://a.friends.example/x/y', true],
    ['https://user:pass@a.friends.example/x', false],
    ['https://evil.example/.friends.example/x', false],
    ['https://evil.example?.friends.example/x', false],
    ['https://evil.example#.friends.example/x', false],
    ['linnet://back', true],
    ['linnet://back/further', false],
    ['http://localhost:3000', true],
    ['http://localhost:3001', false],
    ['http://127.0.0.1:9/', false],
    ['javascript:alert(1)//chat.example.com', false],
    ['data:text/html,x', false],
    ['https://chat.example.com/\r\nSet-Cookie: a=b', false],
    ['', false],
  ])('%s: %s', (url, expected) => {
    expect(isAllowedRedirect(url, site, allowed)).toBe(expected)
  })

  it('lets a site on this machine send people to any port of it', () => {
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
