import { expect, it } from 'vitest'
import { resolveRelyingParty } from './relyingParty.ts'

const unset = { id: null, name: null, origins: null }

it.each([
  {
    title: 'the site by default',
    settings: unset,
    addresses: ['https://chat.example.com', 'https://chat.example.com/auth/v1'],
    party: { id: 'chat.example.com', origins: ['https://chat.example.com'] },
  },
  {
    title: 'localhost for a loopback address, which browsers reject browser takes',
    settings: unset,
    addresses: ['http://127.0.0.1:4280', 'http://[::1]:4280'],
    party: { id: 'localhost', origins: ['http://localhost:4280'] },
  },
  {
    title: 'the site and the service on different origins',
    settings: unset,
    addresses: ['http://localhost:3000', 'http://127.0.0.1:54321'],
    party: { id: 'localhost', origins: ['http://localhost:3000', 'http://localhost:54321'] },
  },
  {
    title: 'a domain above the site',
    settings: { ...unset, id: 'example.com' },
    addresses: ['https://chat.example.com', 'https://api.elsewhere.org', 'https://notexample.com'],
    party: { id: 'example.com', origins: ['https://chat.example.com'] },
  },
  {
    title: 'a domain of neither site nor service',
    settings: { ...unset, id: 'example.org' },
    addresses: ['https://chat.example.com'],
    party: { id: 'example.org', origins: ['https://example.org'] },
  },
  {
    title: 'the service if the site is an app app',
    settings: unset,
    addresses: ['myapp://welcome', 'https://chat.example.com/auth/v1'],
    party: { id: 'chat.example.com', origins: ['https://chat.example.com'] },
  },
  {
    title: 'the configured one',
    settings: { id: 'example.org', name: 'Ours', origins: ['https://a.example.org'] },
    addresses: ['https://chat.example.com'],
    party: { id: 'example.org', name: 'Ours', origins: ['https://a.example.org'] },
  },
])('is $title', ({ settings, addresses, party }) => {
  expect(resolveRelyingParty(settings, addresses)).toMatchObject(party)
})
