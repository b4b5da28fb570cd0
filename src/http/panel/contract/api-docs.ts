import { z } from 'zod';
import { get, routes } from './route.js';

/** The API description. Its replies are files, so it has no handlers; `openapi/` binds it. */
export const apiDocsRoutes = routes('/panel', {
  openapi: get('/api/openapi.json', {
    summary: 'This document, OpenAPI 3.1',
    media: 'application/json',
    reply: z.record(z.string(), z.unknown()),
  }),
  page: get('/api-docs', {
    summary: 'A page on which every route can be tried',
    auth: 'session',
    media: 'text/html',
    reply: z.string(),
  }),
  file: get('/api-docs/:file', {
    summary: 'Scripts and styles of that page',
    auth: 'session',
    params: z.object({ file: z.string() }),
    media: '*/*',
    reply: z.string(),
  }),
});
