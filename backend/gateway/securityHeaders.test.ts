import { expect, test } from 'vitest'
import { securityHeaders } from './securityHeaders.ts'

test('a page may connect to its own origin, including WebSockets', () => {
  const policy = securityHeaders('https://chat.example:8443/')['content-security-policy']
  expect(policy).toContain("connect-src 'self' blob: https://chat.example:8443 wss://chat.example:8443;")
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe/)
})

test('workers and frames of a page are limited to its own origin', () => {
  const policy = securityHeaders('https://chat.example')['content-security-policy']!.split('; ')
  expect(policy).toEqual(
    expect.arrayContaining(["worker-src 'self'", "frame-src 'self'", "default-src 'none'"]),
  )
  expect(policy.join()).not.toContain('object-src')
})

test('HSTS is sent for https with a host name on the default port only', () => {
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

test('a page of a static host may connect to its backend', () => {
  const policy = securityHeaders('https://chat.example', 'https://ref.supabase.co')['content-security-policy']
  expect(policy).toContain("connect-src 'self' blob: https://ref.supabase.co wss://ref.supabase.co;")
})
