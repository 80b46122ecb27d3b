import { expect, it } from 'vitest'
import { relyingParty } from './relyingParty.ts'

const unsaid = { id: null, name: null, origins: null }

it.each([
  {
    title: 'the site by default',
    said: unsaid,
    addresses: ['https://chat.example.com', 'https://chat.example.com/auth/v1'],
    party: { id: 'chat.example.com', origins: ['https://chat.example.com'] },
  },
  {
    title: 'localhost for a loopback address, which browsers reject browser takes',
    said: unsaid,
    addresses: ['http://127.0.0.1:4280', 'http://[::1]:4280'],
    party: { id: 'localhost', origins: ['http://localhost:4280'] },
  },
  {
    title: 'the site and the service on different origins',
    said: unsaid,
    addresses: ['http://localhost:3000', 'http://127.0.0.1:54321'],
    party: { id: 'localhost', origins: ['http://localhost:3000', 'http://localhost:54321'] },
  },
  {
    title: 'a domain above the site',
    said: { ...unsaid, id: 'example.com' },
    addresses: ['https://chat.example.com', 'https://api.elsewhere.org', 'https://notexample.com'],
    party: { id: 'example.com', origins: ['https://chat.example.com'] },
  },
  {
    title: 'a domain of neither site nor service',
    said: { ...unsaid, id: 'example.org' },
    addresses: ['https://chat.example.com'],
    party: { id: 'example.org', origins: ['https://example.org'] },
  },
  {
    title: 'the service if the site is an app app',
    said: unsaid,
    addresses: ['myapp://welcome', 'https://chat.example.com/auth/v1'],
    party: { id: 'chat.example.com', origins: ['https://chat.example.com'] },
  },
  {
    title: 'the configured one',
    said: { id: 'example.org', name: 'Ours', origins: ['https://a.example.org'] },
    addresses: ['https://chat.example.com'],
    party: { id: 'example.org', name: 'Ours', origins: ['https://a.example.org'] },
  },
])('is $title', ({ said, addresses, party }) => {
  expect(relyingParty(said, addresses)).toMatchObject(party)
})
