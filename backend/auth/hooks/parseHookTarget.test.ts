import { describe, expect, it } from 'vitest'
import { HookTargetError, parseHookTarget } from './parseHookTarget.ts'

const secret = `v1,whsec_${Buffer.alloc(24, 'k').toString('base64')}`

describe('a function', () => {
  it.each([
    ['pg-functions://postgres/public/gate', '"public"."gate"'],
    ['PG-FUNCTIONS://any/App/_Gate2', '"App"."_Gate2"'],
  ])('%s', (uri, sqlName) => {
    expect(parseHookTarget(uri, '')).toMatchObject({ kind: 'function', sqlName })
  })

  it.each([
    'pg-functions://postgres/public/gate()',
    'pg-functions://postgres/public/f"; drop table x; --',
    'pg-functions://postgres/gate',
    'pg-functions://postgres/public/gate/more',
    'pg-functions://postgres/public/two words',
  ])('is not %s', (uri) => {
    expect(() => parseHookTarget(uri, '')).toThrow(HookTargetError)
  })

  it('has no secrets', () => {
    expect(() => parseHookTarget('pg-functions://postgres/public/gate', secret)).toThrow(/left out/)
  })
})

describe('a server', () => {
  it.each([
    ['https://hooks.example/a?b=c', 'https://hooks.example/a?b=c'],
    ['http://localhost:1/a', 'http://localhost:1/a'],
    ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/a'],
    ['http://[::1]:1/a', 'http://[::1]:1/a'],
    ['http://host.docker.internal:1/a', 'http://127.0.0.1:1/a'],
  ])('%s', (uri, address) => {
    const target = parseHookTarget(uri, `${secret}|${secret}`)
    expect(target.kind === 'http' && target.url.href).toBe(address)
    expect(target.kind === 'http' && target.secrets).toEqual([Buffer.alloc(24, 'k'), Buffer.alloc(24, 'k')])
  })

  it.each([
    'http://hooks.example/a',
    'http://127.0.0.1.evil.example/',
    'http://10.0.0.1/',
    'ftp://localhost/',
    '',
    'x',
  ])('is not %s', (uri) => {
    expect(() => parseHookTarget(uri, secret)).toThrow(HookTargetError)
  })

  it.each([
    '',
    '|',
    'whsec_abc',
    'v1,whsec_short',
    `${secret}|v1,whsec_!`,
    `${secret}x`,
    'v1a,whpk_a:whsk_b',
  ])('rejects the secret "%s" without printing it', (secrets) => {
    const parse = () => parseHookTarget('https://hooks.example/', secrets)
    expect(parse).toThrow(HookTargetError)
    expect(parse).not.toThrow(secrets.length > 1 ? secrets : 'v1,v1')
  })
})
