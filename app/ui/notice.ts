import { createContext, use } from 'react'

export interface Notice {
  words: string
  /** What can be done about it, while it is shown. */
  action?: { label: string; run: () => void }
}

export const NoticeContext = createContext<(notice: Notice) => void>(() => {})

/** Shows a line at the foot of the page for some seconds. */
export function useNotice(): (notice: Notice) => void {
  return use(NoticeContext)
}
