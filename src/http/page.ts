import type { RequestHandler } from 'express';

/** The page of the panel. */
export const page: RequestHandler = (_req, res) => {
  res.type('html').send('<!doctype html>');
};
