import { expect, test } from 'vitest'
import { packageOfUrl } from './packageOfUrl.ts'

test.each([
  ['https://esm.sh/@supabase/supabase-js@2', 'npm:@supabase/supabase-js@2'],
  ['https://esm.sh/v135/stripe@14.1.0?target=deno&no-check', 'npm:stripe@14.1.0'],
  ['https://esm.sh/*preact@10/jsx-runtime', 'npm:preact@10/jsx-runtime'],
  ['https://esm.sh/jsr/@std/encoding@1/base64', 'jsr:@std/encoding@1/base64'],
  ['https://cdn.jsdelivr.net/npm/zod@3/+esm', 'npm:zod@3'],
  ['https://unpkg.com/lodash-es@4', 'npm:lodash-es@4'],
  ['https://cdn.skypack.dev/date-fns?dts', 'npm:date-fns'],
  ['https://ga.jspm.io/npm:nanoid@5', 'npm:nanoid@5'],
])('%s is %s', (address, wanted) => {
  expect(packageOfUrl(address)).toBe(wanted)
})

test.each([
  'https://esm.sh/gh/someone/something@1/mod.ts',
  'https://cdn.jsdelivr.net/gh/someone/something/mod.js',
  'https://deno.land/std@0.168.0/http/server.ts',
  'https://example.org/npm/a',
  'https://unpkg.com/',
])('%s is not a package URL', (address) => {
  expect(packageOfUrl(address)).toBeNull()
})
