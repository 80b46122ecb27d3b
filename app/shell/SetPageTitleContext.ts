import { createContext, useContext, useLayoutEffect } from 'react'

/** Sets the title of the page in the title of the browser's tab; null: the name of the conversation or workspace. */
export const SetPageTitleContext = createContext<(title: string | null) => void>(() => {})

/** Sets the title of the page in the title of the browser's tab while the page is displayed. */
export function usePageTitle(title: string): void {
  const setTitle = useContext(SetPageTitleContext)
  useLayoutEffect(() => {
    setTitle(title)
    return () => setTitle(null)
  }, [setTitle, title])
}
