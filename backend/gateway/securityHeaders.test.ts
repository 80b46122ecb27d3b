import { expect, test } from 'vitest'
import { securityHeaders } from './securityHeaders.ts'

test('a page may speak to its own address, sockets included', () => {
  const policy = securityHeaders('https://chat.example:8443/')['content-security-policy']
  expect(policy).toContain("connect-src 'self' blob: https://chat.example:8443 wss://chat.example:8443;")
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe/)
})

test('what runs beside a page, and what stands in it, comes from its own address', () => {
  const policy = securityHeaders('https://chat.example')['content-security-policy']!.split('; ')
  expect(policy).toEqual(
    expect.arrayContaining(["worker-src 'self'", "frame-src 'self'", "default-src 'none'"]),
  )
  expect(policy.join()).not.toContain('object-src')
})

test('browsers are told to stay with https where it has a name, and only there', () => {
  expect(securityHeaders('https://chat.example')).toHaveProperty('strict-transport-security')
  for (const address of [
    'http://chat.example',
    'https://chat.example:8443',
    'https://linnet.localhost',
    'https://localhost:1',
    'https://127.0.0.1',
    'https://[::1]:1',
  ]) {
    expect(securityHeaders(address)).not.toHaveProperty('strict-transport-security')
  }
})

test('a page of a static host may speak to its backend', () => {
  const policy = securityHeaders('https://chat.example', 'https://ref.supabase.co')['content-security-policy']
  expect(policy).toContain("connect-src 'self' blob: https://ref.supabase.co wss://ref.supabase.co;")
})
