// One chunk for the pages of the tabs of a phone, and of what other applications share.
export { default as DirectPage } from './DirectPage.tsx'
export { default as SharePage } from './SharePage.tsx'
export { default as YouPage } from './YouPage.tsx'
