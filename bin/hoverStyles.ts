import type { CSSOptions } from 'vite'

/** A plugin of PostCSS, as Vite accepts it. */
type PostcssPlugin = Extract<
  NonNullable<Extract<CSSOptions['postcss'], object>['plugins']>[number],
  { postcssPlugin: string; OnceExit?: unknown }
>

/** A rule or an at-rule around a rule. */
interface Container {
  type: string
  params?: string
  parent?: unknown
}

/** Whether an element is selected only while a pointer is over it. */
const needsHover = (selector: string): boolean =>
  selector.replaceAll(/:not\([^()]*\)/g, '').includes(':hover')

function isWithinHover({ parent }: Container): boolean {
  const container = parent as Container | undefined
  if (!container) return false
  return (container.type === 'atrule' && /\bhover\b/.test(container.params ?? '')) || isWithinHover(container)
}

/**
 * Applies each selector with `:hover` only where there is hover, by `@media (hover: hover)`: a touch screen would keep the
 * styles at the element that was tapped last.
 */
export function hoverStyles(): PostcssPlugin {
  return {
    postcssPlugin: 'hover-styles',
    OnceExit(root, { AtRule }) {
      root.walkRules((rule) => {
        const hovering = rule.selectors.filter(needsHover)
        if (hovering.length === 0 || isWithinHover(rule)) return
        const others = rule.selectors.filter((selector) => !needsHover(selector))
        const media = new AtRule({ name: 'media', params: '(hover: hover)' })
        media.append(rule.clone({ selectors: hovering }))
        rule.after(media)
        if (others.length > 0) rule.selectors = others
        else rule.remove()
      })
    },
  }
}
