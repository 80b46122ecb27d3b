import { preprocessCSS, resolveConfig } from 'vite'
import { expect, it } from 'vitest'
import { hoverStyles } from './hoverStyles.ts'

async function transform(css: string): Promise<string> {
  const config = await resolveConfig(
    { configFile: false, css: { postcss: { plugins: [hoverStyles()] } } },
    'build',
  )
  const { code } = await preprocessCSS(css, '/a.css', config)
  return code.replaceAll(/\s/g, '')
}

it('a selector with :hover applies only where there is hover, and the others of its rule everywhere', async () => {
  expect(await transform('a:hover, a:focus { color: red }')).toBe(
    'a:focus{color:red}@media(hover:hover){a:hover{color:red}}',
  )
  expect(await transform('a:hover b { color: red } c { color: blue }')).toBe(
    '@media(hover:hover){a:hoverb{color:red}}c{color:blue}',
  )
})

it('a rule that excludes hovered elements or names the media feature itself stays as it is', async () => {
  for (const css of [
    'a:not(:hover, :focus) { opacity: 0 }',
    '@media (hover: hover) { a:hover { color: red } }',
  ])
    expect(await transform(css)).toBe(css.replaceAll(' ', ''))
})
